// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstRange, lanesOf } from "../src/timeline/find.ts";
import { tileText } from "../src/timeline/tiles.ts";

const column = (...numbers: number[]): Int32Array => Int32Array.from(numbers);
const lanes = { count: 6, rank: column(0, 0, 0, 1, 1, 1), device: column(-1, 0, 0, -1, 0, 0), kind: column(0, 2, 3, 0, 2, 3), copy: column(0, 0, 0, 0, 0, 0) };

void test("lanes of ranks and devices", () => {
  assert.deepEqual(lanesOf(lanes, { rank: 1 }), [3, 4, 5]);
  assert.deepEqual(lanesOf(lanes, { rank: 1, device: 0 }), [4, 5]);
  assert.deepEqual(lanesOf(lanes, { device: 0 }), [1, 2, 4, 5]);
  assert.deepEqual(firstRange([1, 2, 4, 5]), [1, 3]);
  assert.deepEqual(firstRange([4]), [4, 5]);
  assert.equal(firstRange([]), undefined);
});

void test("names of tiles", () => {
  assert.equal(tileText(2, 5, 3), "C(2,5) k 3");
  assert.equal(tileText(2, 5, -1), "C(2,5)");
  assert.equal(tileText(2, -1, 3), "A(2,3)");
  assert.equal(tileText(-1, 5, 3), "B(3,5)");
  assert.equal(tileText(-1, 5, -1), "j 5");
  assert.equal(tileText(-1, -1, -1), "");
});
