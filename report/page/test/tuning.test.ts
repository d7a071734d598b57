// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Evaluation } from "../src/data/facts.ts";
import { bestByValue, bestFirst, varied } from "../src/panels/search-history.ts";

const evaluation = (makespan_s: number | null, p: string): Evaluation => ({ status: makespan_s === null ? "infeasible" : "done", makespan_s, lower_bound_s: null, message: null, parameters: { strategy: "local-b", "grid.p": p }, wall_s: 1 });

const tuning = { name: "history.jsonl", evaluations: [evaluation(5, "1"), evaluation(3, "2"), evaluation(null, "4"), evaluation(4, "2")] };

void test("best first, without those that have no time", () => {
  assert.deepEqual(bestFirst(tuning).map(({ makespan_s }) => makespan_s), [3, 4, 5]);
});

void test("parameters that vary, and the best time of each value", () => {
  assert.deepEqual(varied(tuning), ["grid.p"]);
  assert.deepEqual(bestByValue(tuning, "grid.p"), [["2", 3, 2], ["1", 5, 1]]);
});
