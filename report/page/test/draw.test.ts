// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../src/draw.ts";
import { csvOf } from "../src/table.ts";
import { TimeWindow } from "../src/window.ts";

void test("pixels have the mean of their bins", () => {
  const bins = Float32Array.from([0, 1, 0.5, 0.5]);
  assert.deepEqual([...pooled(bins, 0, 4, 2)], [0.5, 0.5]);
  assert.deepEqual([...pooled(bins, 0, 4, 4)], [0, 1, 0.5, 0.5]);
  assert.deepEqual([...pooled(bins, 1, 2, 2)], [1, 1]);
});

void test("a window stays inside of the run", () => {
  const window = new TimeWindow(1000);
  let changes = 0;
  window.onChange(() => ++changes);
  window.zoom(250, 0.1);
  assert.deepEqual([window.from, window.to], [225, 325]);
  window.pan(-10);
  assert.deepEqual([window.from, window.to], [0, 100]);
  window.show(500, 500);
  assert.equal(window.to - window.from, 1);
  window.all();
  assert.deepEqual([window.from, window.to], [0, 1000]);
  assert.equal(changes, 4);
});

void test("CSV has numbers, and quotes what needs it", () => {
  assert.equal(csvOf(["a", "b"], [["x, y", { shown: "3 s", value: 3.25 }]]), 'a,b\n"x, y",3.25\n');
});
