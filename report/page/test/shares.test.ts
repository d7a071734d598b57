// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { meanShare, meansOf, pooled } from "../src/data/shares.ts";
import { randomNumbers } from "./encode.ts";

const pixels = (bins: number[], from: number, to: number, width: number): number[] => [...pooled(Float32Array.from(bins), from, to, new Float32Array(width))];

void test("pixels have the mean of their bins", () => {
  assert.deepEqual(pixels([0, 1, 0.5, 0.5], 0, 4, 2), [0.5, 0.5]);
  assert.deepEqual(pixels([0, 1, 0.5, 0.5], 0, 4, 4), [0, 1, 0.5, 0.5]);
  assert.deepEqual(pixels([0, 1, 0.5, 0.5], 1, 2, 2), [1, 1]);
});

void test("nothing is outside of the run", () => {
  assert.deepEqual(pixels([1, 1], 0, 4, 4), [1, 1, 0, 0]);
  assert.deepEqual(pixels([1, 1], -2, 2, 4), [0, 0, 1, 1]);
});

void test("means are by kind of lane", () => {
  const lanes = { bins: 2, shares: Uint8Array.from([255, 0, 0, 0, 255, 255]), kind: Int32Array.from([3, 3, 5]) };
  const means = meansOf(lanes, 0, 3);
  assert.deepEqual([...means.keys()], [3, 5]);
  assert.deepEqual([...(means.get(3) ?? [])], [0.5, 0]);
  assert.deepEqual([...(means.get(5) ?? [])], [1, 1]);
  assert.equal(meanShare(lanes, 0), 0.5);
});

for (let seed = 1; seed <= 10; ++seed)
  void test(`pooling keeps the sum where pixels are whole bins, seed ${String(seed)}`, () => {
    const random = randomNumbers(seed);
    const width = 1 + random(50);
    const bins = Array.from({ length: width * (1 + random(8)) }, () => random(256) / 256);
    const sum = (list: number[]): number => list.reduce((one, other) => one + other, 0);
    const found = sum(pixels(bins, 0, bins.length, width)) * (bins.length / width);
    assert.ok(Math.abs(found - sum(bins)) < 1e-3 * bins.length);
  });
