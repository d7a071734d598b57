// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { decodedBlock, operationBefore } from "../src/data/blocks.ts";
import { VarintReader } from "../src/data/varint.ts";
import { ByteWriter, encoded, randomNumbers, randomOperations } from "./encode.ts";

function writtenBy(write: (to: ByteWriter) => void): Uint8Array {
  const to = new ByteWriter();
  write(to);
  return to.written();
}

void test("300 is AC 02, as in DWARF 5", () => {
  assert.deepEqual([...writtenBy((to) => to.varint(300))], [0xac, 0x02]);
});

void test("unsigned numbers come back", () => {
  const numbers = [0, 1, 127, 128, 300, 2 ** 31, 2 ** 40 + 7, Number.MAX_SAFE_INTEGER];
  const reader = new VarintReader(writtenBy((to) => numbers.forEach((number) => to.varint(number))), 0);
  for (const number of numbers) assert.equal(reader.unsigned(), number);
});

void test("signed numbers come back, from an offset on", () => {
  const numbers = [5, 0, -1, 1, -2, 12345, -(2 ** 40)];
  const reader = new VarintReader(writtenBy((to) => numbers.forEach((number) => to.signed(number))), 1);
  for (const number of numbers.slice(1)) assert.equal(reader.signed(), number);
});

for (let seed = 1; seed <= 20; ++seed)
  void test(`random operations come back, seed ${String(seed)}`, () => {
    const random = randomNumbers(seed);
    const operations = randomOperations(1 + random(4096), random);
    const found = decodedBlock(Uint8Array.from([7, 7, ...encoded(operations)]), 2, operations.length, operations[0].start);
    for (const key of ["start", "end", "cause", "i", "j", "k", "products", "bytes"] as const)
      assert.deepEqual([...found[key]], operations.map((operation) => operation[key]), key);
  });

void test("the operation before a time", () => {
  const rest = { cause: 0, i: 0, j: 0, k: 0, products: 1, bytes: 0 };
  const operations = decodedBlock(encoded([{ start: 10, end: 20, ...rest }, { start: 30, end: 40, ...rest }]), 0, 2, 10);
  assert.deepEqual([5, 10, 29, 30, 99].map((tick) => operationBefore(operations, tick)), [-1, 0, 0, 1, 1]);
});
