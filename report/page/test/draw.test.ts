// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { pooled } from "../src/draw.ts";
import { csvOf } from "../src/table.ts";
import { SharedTime, TimeWindow } from "../src/window.ts";

void test("pixels have the mean of their bins", () => {
  const bins = Float32Array.from([0, 1, 0.5, 0.5]);
  assert.deepEqual([...pooled(bins, 0, 4, 2)], [0.5, 0.5]);
  assert.deepEqual([...pooled(bins, 0, 4, 4)], [0, 1, 0.5, 0.5]);
  assert.deepEqual([...pooled(bins, 1, 2, 2)], [1, 1]);
  assert.deepEqual([...pooled(bins, 2, 6, 4)], [0.5, 0.5, 0, 0]);
});

void test("a window stays inside of the run", () => {
  const time = new SharedTime(1, 0.001);
  const window = new TimeWindow(time, 0.001);
  const shows = (from: number, to: number): void => {
    assert.ok(Math.abs(window.from - from) < 1e-9 && Math.abs(window.to - to) < 1e-9, `${String(window.from)} to ${String(window.to)}`);
  };
  let changes = 0;
  window.onChange(() => ++changes);
  window.zoom(250, 0.1);
  shows(225, 325);
  window.pan(-10);
  shows(0, 100);
  window.show(500, 500);
  shows(500, 501);
  window.all();
  shows(0, 1000);
  assert.equal(changes, 4);
  new TimeWindow(time, 0.01).show(10, 20);
  shows(100, 200);
});

void test("CSV has numbers, and quotes what needs it", () => {
  assert.equal(csvOf(["a", "b"], [["x, y", { shown: "3 s", value: 3.25 }]]), 'a,b\n"x, y",3.25\n');
});
