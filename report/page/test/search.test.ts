// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { namesTile, parsedSearch } from "../src/timeline/search.ts";

void test("what is understood", () => {
  assert.deepEqual(parsedSearch("rank 3"), { rank: 3 });
  assert.deepEqual(parsedSearch("Rank=12 device 1"), { rank: 12, device: 1 });
  assert.deepEqual(parsedSearch("C(2,5)"), { i: 2, j: 5 });
  assert.deepEqual(parsedSearch("a( 2 , 5 )"), { i: 2, k: 5 });
  assert.deepEqual(parsedSearch("B(2,5) rank 1"), { rank: 1, k: 2, j: 5 });
  assert.deepEqual(parsedSearch("i=2 j=5"), { i: 2, j: 5 });
  assert.equal(parsedSearch("hello"), undefined);
  assert.equal(parsedSearch(""), undefined);
});

void test("tiles and lanes differ", () => {
  assert.ok(namesTile({ k: 0 }));
  assert.ok(!namesTile({ rank: 0 }));
});
