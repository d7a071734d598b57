// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodedBlock } from "../src/data/blocks.ts";
import { Line, addOperations } from "../src/timeline/line.ts";
import { encoded, randomNumbers, randomOperations } from "./encode.ts";

void test("parts of a pixel add up, and the largest has its colour", () => {
  const line = new Line(4);
  line.add(0.5, 1.25, 3);
  line.add(1.25, 2, 5);
  assert.deepEqual([...line.cover], [0.5, 1, 0, 0]);
  assert.deepEqual([...line.colour].slice(0, 2), [3, 5]);
});

void test("what is outside is cut off", () => {
  const line = new Line(2);
  line.add(-5, 0.5, 1);
  line.add(1.5, 9, 1);
  assert.deepEqual([...line.cover], [0.5, 0.5]);
});

void test("hidden operations are not drawn, wide ones leave a gap", () => {
  const rest = { i: 0, j: 0, k: 0, products: 1, bytes: 0 };
  const operations = decodedBlock(encoded([{ start: 0, end: 50, cause: 0, ...rest }, { start: 50, end: 100, cause: 1, ...rest }]), 0, 2, 0);
  const line = new Line(100);
  addOperations(line, operations, 0, 100, (n) => (operations.cause[n] === 0 ? 7 : -1));
  assert.equal(line.cover.reduce((sum, cover) => sum + cover, 0), 49);
});

for (let seed = 1; seed <= 10; ++seed)
  void test(`the covered time is that of the operations, seed ${String(seed)}`, () => {
    const made = randomOperations(2000, randomNumbers(seed));
    const operations = decodedBlock(encoded(made), 0, made.length, made[0].start);
    const end = made[made.length - 1].end;
    const line = new Line(300);
    addOperations(line, operations, 0, end, () => 0);
    const found = (line.cover.reduce((sum, cover) => sum + cover, 0) * end) / 300;
    const expected = made.reduce((sum, operation) => sum + operation.end - operation.start, 0);
    assert.ok(Math.abs(found / expected - 1) < 1e-4);
  });
