// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { TimeWindow } from "../src/timeline/window.ts";

void test("a window stays inside of the run", () => {
  const window = new TimeWindow(1000, 1);
  let changes = 0;
  window.onChange(() => ++changes);
  window.zoom(250, 0.1);
  assert.deepEqual([window.from, window.to], [225, 325]);
  window.pan(-10);
  assert.deepEqual([window.from, window.to], [0, 100]);
  window.all();
  assert.deepEqual([window.from, window.to], [0, 1000]);
  assert.equal(changes, 3);
});

void test("the narrowest window keeps its place", () => {
  const window = new TimeWindow(1000, 10);
  for (let n = 0; n < 100; ++n) window.zoom(400, 0.5);
  assert.ok(window.from <= 400 && 400 <= window.to);
  assert.ok(Math.abs(window.length - 10) < 1e-9);
});
