// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { Sections, numbersOf, unpacked } from "../src/sections.ts";
import { packed } from "./encode.ts";

void test("numbers of a section", async () => {
  const bytes = new Uint8Array(24);
  bytes.set([1, 2, 3]);
  new DataView(bytes.buffer).setFloat64(8, 0.5, true);
  new DataView(bytes.buffer).setFloat64(16, -2, true);
  const read = await unpacked(packed(bytes));
  assert.deepEqual([...numbersOf(read, { section: 0, offset: 8, type: "f64", count: 2 })], [0.5, -2]);
  assert.deepEqual([...numbersOf(read, { section: 0, offset: 0, type: "u8", count: 3 })], [1, 2, 3]);
});

void test("sections are unpacked once, and the oldest is forgotten", async () => {
  const asked: number[] = [];
  const sections = new Sections((section) => {
    asked.push(section);
    return packed(Uint8Array.from([section]));
  }, 3);
  for (const section of [0, 1, 2, 1, 3, 1, 2, 0]) assert.equal((await sections.section(section))[0], section);
  assert.deepEqual(asked, [0, 1, 2, 3, 2]);
});
