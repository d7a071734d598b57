// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { type LaneColumns, reveal, treeOf, visibleRows } from "../src/groups.ts";

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
  assert.deepEqual(visibleRows(groups).map((row) => row.label), ["node 0", "rank 0", "generation", "generation 1", "generation 2", "device 0 kernels", "rank 1", "generation", "generation 1", "generation 2", "device 0 kernels"]);
});

void test("many begin folded, and a lane can be revealed", () => {
  const groups = treeOf(lanesOf(1000, 4), nodes(1000), kinds);
  assert.equal(visibleRows(groups).length, 500);
  const row = reveal(groups, 6 * 999 + 1);
  assert.equal(row.label, "generation 2");
  assert.ok(visibleRows(groups).includes(row));
});
