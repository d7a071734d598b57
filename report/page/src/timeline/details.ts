// SPDX-License-Identifier: BSD-3-Clause
// One operation, or one place of the timeline, in words.
import { tileText } from "./draw.ts";
import type { Group } from "./groups.ts";
import { kindOf } from "./palette.ts";
import type { Found, Run } from "./run.ts";
import { grouped, percent, quantity } from "./units.ts";

const oneName: Record<string, string> = {
  kernel: "product",
  generate: "generation",
  h2d: "copy, host to device",
  d2d: "copy, device to device",
  d2h: "copy, device to host",
  network: "message",
  wait: "wait",
  combine: "addition or task",
};

export function laneName(run: Run, lane: number): string {
  const { rank, device } = run.lanes;
  return device[lane] < 0 ? `rank ${String(rank[lane])}` : `rank ${String(rank[lane])}, device ${String(device[lane])}`;
}

export function operationText(run: Run, found: Found): string {
  const { operations, index, lane } = found;
  const tick = run.timeline.tick_s;
  const seconds = (operations.end[index] - operations.start[index]) * tick;
  const bytes = operations.bytes[index];
  const products = operations.products[index];
  return [
    oneName[run.timeline.causes[operations.cause[index]]],
    laneName(run, lane),
    tileText(operations.i[index], operations.j[index], operations.k[index]),
    products > 1 ? `${grouped(products)} products` : "",
    `from ${quantity(operations.start[index] * tick, "s")}`,
    `takes ${quantity(seconds, "s")}`,
    bytes > 0 ? quantity(bytes, "B") : "",
    bytes > 0 && seconds > 0 ? quantity(bytes / seconds, "B/s") : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

export function sharesText(run: Run, row: Group, tick: number): string {
  const { bins, end, kinds, tick_s } = run.timeline;
  const bin = Math.min(bins - 1, Math.floor((tick / end) * bins));
  const shares = [...run.meansOf(row)].map(([kind, means]) => `${kinds[kind]} ${percent(means[bin])}`);
  return `${row.label} at ${quantity(tick * tick_s, "s")} · busy: ${shares.join(", ")}`;
}

export const causeName = (run: Run, cause: number): string => kindOf(run.timeline.causes[cause]).name;
