// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LaneColumns } from "../src/data/run.ts";
import { reveal, setOpen, treeOf, visibleRows } from "../src/timeline/groups.ts";

/** Each rank: two copies of generation, then kernels of each device. */
function lanesOf(ranks: number, devices: number): LaneColumns {
  const rows: number[][] = [];
  for (let rank = 0; rank < ranks; ++rank) {
    rows.push([rank, -1, 0, 0], [rank, -1, 0, 1]);
    for (let device = 0; device < devices; ++device) rows.push([rank, device, 2, 0]);
  }
  const column = (n: number): Int32Array => Int32Array.from(rows.map((row) => row[n]));
  return { count: rows.length, rank: column(0), device: column(1), kind: column(2), copy: column(3) };
}

const kinds = ["generation", "messages", "kernels"];
const nodes = (ranks: number): Int32Array => Int32Array.from({ length: ranks }, (_, rank) => rank >> 1);

void test("few lanes begin open", () => {
  const groups = treeOf(lanesOf(2, 1), nodes(2), kinds);
  const rank = ["generation", "generation 1", "generation 2", "device 0 kernels"];
  assert.deepEqual(visibleRows(groups).map((row) => row.label), ["node 0", "rank 0", ...rank, "rank 1", ...rank]);
});

void test("many begin folded, and a lane can be revealed", () => {
  const groups = treeOf(lanesOf(1000, 4), nodes(1000), kinds);
  assert.equal(visibleRows(groups).length, 500);
  const lane = 6 * 999 + 1;
  const row = reveal(groups, lane, lane + 1);
  assert.equal(row?.label, "generation 2");
  assert.ok(row && visibleRows(groups).includes(row));
});

void test("a rank and a device are rows, or inside of one", () => {
  const groups = treeOf(lanesOf(4, 2), nodes(4), kinds);
  assert.equal(reveal(groups, 4, 8)?.label, "rank 1");
  assert.equal(reveal(groups, 6, 7)?.label, "device 0 kernels");
  assert.equal(reveal(groups, 2, 4)?.label, "rank 0");
});

void test("nodes fold and unfold", () => {
  const groups = treeOf(lanesOf(4, 2), nodes(4), kinds);
  setOpen(groups, false);
  assert.deepEqual(visibleRows(groups).map((row) => row.label), ["node 0", "node 1"]);
  setOpen(groups, true);
  assert.deepEqual(visibleRows(groups).map((row) => row.label), ["node 0", "rank 0", "rank 1", "node 1", "rank 2", "rank 3"]);
});
