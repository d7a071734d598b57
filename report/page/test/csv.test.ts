// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf } from "../src/ui/csv.ts";

void test("CSV has numbers, and quotes what needs it", () => {
  assert.equal(csvOf(["a", "b"], [['x, "y"', { shown: "3 s", value: 3.25 }]]), 'a,b\n"x, ""y""",3.25\n');
});
