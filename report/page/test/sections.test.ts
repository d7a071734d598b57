// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { deflateSync } from "node:zlib";
import { Recent } from "../src/data/recent.ts";
import { Sections, unpacked } from "../src/data/sections.ts";
import { randomNumbers } from "./encode.ts";

const packed = (bytes: Uint8Array): string => deflateSync(bytes).toString("base64");

for (let seed = 1; seed <= 5; ++seed)
  void test(`random bytes come back, seed ${String(seed)}`, async () => {
    const random = randomNumbers(seed);
    const bytes = Uint8Array.from({ length: random(100_000) }, () => random(256));
    assert.deepEqual(await unpacked(packed(bytes)), bytes);
  });

void test("numbers of a section", async () => {
  const bytes = new Uint8Array(32);
  const view = new DataView(bytes.buffer);
  bytes.set([1, 2, 3]);
  view.setFloat64(8, 0.5, true);
  view.setInt32(16, -7, true);
  view.setFloat32(24, 1.5, true);
  const sections = new Sections(() => packed(bytes));
  assert.deepEqual([...(await sections.bytes({ section: 0, offset: 0, type: "u8", count: 3 }))], [1, 2, 3]);
  assert.deepEqual([...(await sections.doubles({ section: 0, offset: 8, type: "f64", count: 1 }))], [0.5]);
  assert.deepEqual([...(await sections.integers({ section: 0, offset: 16, type: "i32", count: 2 }))], [-7, 0]);
  assert.deepEqual([...(await sections.floats({ section: 0, offset: 24, type: "f32", count: 1 }))], [1.5]);
  await assert.rejects(sections.floats({ section: 0, offset: 0, type: "u8", count: 3 }), /u8 where f32/);
});

void test("sections are unpacked once, and the one used longest ago is forgotten", async () => {
  const asked: number[] = [];
  const sections = new Sections((section) => {
    asked.push(section);
    return packed(Uint8Array.from([section]));
  }, 2);
  for (const section of [0, 1, 0, 2, 0, 1]) assert.equal((await sections.section(section))[0], section);
  assert.deepEqual(asked, [0, 1, 2, 1]);
});

void test("what is forgotten is told", () => {
  const forgotten: string[] = [];
  const recent = new Recent<string, number>(2, (key) => forgotten.push(key));
  recent.set("a", 1);
  recent.set("b", 2);
  assert.equal(recent.get("a"), 1);
  recent.set("c", 3);
  assert.deepEqual(forgotten, ["b"]);
  assert.equal(recent.get("b"), undefined);
});
