// SPDX-License-Identifier: BSD-3-Clause
import assert from "node:assert/strict";
import { test } from "node:test";
import { change, grouped, percent, quantity, ticksBetween, timeLabel } from "../src/ui/units.ts";

void test("quantities have four digits and a prefix", () => {
  assert.equal(quantity(3.3791, "s"), "3.379 s");
  assert.equal(quantity(1.394e12, "B"), "1.394 TB");
  assert.equal(quantity(19e-6, "s"), "19 µs");
  assert.equal(quantity(0, "B"), "0 B");
  assert.equal(quantity(999.96, "B"), "1 kB");
  assert.equal(quantity(0.99999, "s"), "1 s");
  assert.equal(quantity(-2500, "B"), "-2.5 kB");
  assert.equal(quantity(999.96e6, "B"), "1 GB");
  assert.equal(quantity(0.00256, ""), "2.56 m");
  assert.equal(quantity(1.008e-8, "s"), "10.08 ns");
  assert.equal(quantity(1.23456789, "s", 6), "1.23457 s");
  assert.equal(quantity(Number.NaN, "s"), "-");
});

void test("shares and counts", () => {
  assert.equal(percent(0.034), "3.4%");
  assert.equal(percent(0.94), "94%");
  assert.equal(grouped(1834982), "1\u00a0834\u00a0982");
});

void test("changes have a sign", () => {
  assert.equal(change(1.106), "+10.6%");
  assert.equal(change(0.9), "-10.0%");
  assert.equal(change(1.0001), "0%");
});

void test("ticks are round and inside", () => {
  assert.deepEqual(ticksBetween(0, 4.163, 5), [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4]);
  for (const [from, to] of [[0.12, 0.13], [1e-9, 9e-9], [3, 1000]])
    for (const tick of ticksBetween(from, to, 4)) assert.ok(tick >= from * (1 - 1e-9) && tick <= to * (1 + 1e-9));
});

void test("labels differ where times do", () => {
  assert.equal(timeLabel(1.2, 0.2, 4), "1.2 s");
  assert.equal(timeLabel(0.2, 0.1, 0.8), "200 ms");
  const labels = ticksBetween(3.0001, 3.0002, 5).map((time) => timeLabel(time, 2e-5, 3.0002));
  assert.equal(new Set(labels).size, labels.length);
});
