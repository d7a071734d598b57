// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodedBlock, operationBefore } from "../src/blocks.ts";
import { VarintReader } from "../src/varint.ts";
import { encoded, randomNumbers, randomOperations, signed, varint } from "./encode.ts";

void test("varints as in report/varint.hpp", () => {
  assert.deepEqual(varint(300), [0xac, 0x02]);
  const numbers = [0, 1, 127, 128, 300, 2 ** 31, 2 ** 40 + 7, Number.MAX_SAFE_INTEGER];
  const reader = new VarintReader(Uint8Array.from(numbers.flatMap(varint)), 0);
  for (const number of numbers) assert.equal(reader.unsigned(), number);
  const both = [0, -1, 1, -2, 12345, -(2 ** 40)];
  const other = new VarintReader(Uint8Array.from([9, ...both.flatMap(signed)]), 1);
  for (const number of both) assert.equal(other.signed(), number);
});

for (const seed of [1, 2, 3])
  void test(`random operations come back, seed ${String(seed)}`, () => {
    const operations = randomOperations(500, randomNumbers(seed));
    const found = decodedBlock(Uint8Array.from([7, 7, ...encoded(operations)]), 2, operations.length, operations[0].start);
    for (const key of ["start", "end", "cause", "i", "j", "k", "products", "bytes"] as const)
      assert.deepEqual([...found[key]], operations.map((operation) => operation[key]), key);
  });

void test("the operation before a time", () => {
  const operations = decodedBlock(Uint8Array.from(encoded([{ start: 10, end: 20, cause: 0, i: 0, j: 0, k: 0, products: 1, bytes: 0 }, { start: 30, end: 40, cause: 0, i: 0, j: 0, k: 0, products: 1, bytes: 0 }])), 0, 2, 10);
  assert.deepEqual([5, 10, 29, 30, 99].map((tick) => operationBefore(operations, tick)), [-1, 0, 0, 1, 1]);
});
