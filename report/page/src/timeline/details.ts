// SPDX-License-Identifier: BSD-3-Clause
// One operation, or one place of the timeline, in words.
import type { Found, Run } from "../data/run.ts";
import { kindOf } from "../ui/palette.ts";
import { grouped, percent, quantity } from "../ui/units.ts";
import type { Group } from "./groups.ts";
import { tileText } from "./tiles.ts";

export interface Details {
  title: string;
  lines: [label: string, text: string][];
}

export function laneName({ lanes, timeline }: Run, lane: number): string {
  const device = lanes.device[lane];
  const place = device < 0 ? "" : ` device ${String(device)}`;
  return `rank ${String(lanes.rank[lane])}${place}, ${timeline.kinds[lanes.kind[lane]]}`;
}

function rateText(bytes: number, seconds: number): string {
  return bytes > 0 && seconds > 0 ? quantity(bytes / seconds, "B/s") : "";
}

export function operationDetails(run: Run, { operations, index, lane }: Found): Details {
  const { tick_s: tick, causes } = run.timeline;
  const { start, end, cause, i, j, k, products, bytes } = operations;
  const seconds = (end[index] - start[index]) * tick;
  const lines: Details["lines"] = [
    ["tile", tileText(i[index], j[index], k[index])],
    ["on", laneName(run, lane)],
    ["start", quantity(start[index] * tick, "s", 6)],
    ["duration", quantity(seconds, "s")],
    ["products", products[index] > 0 ? grouped(products[index]) : ""],
    ["bytes", bytes[index] > 0 ? quantity(bytes[index], "B") : ""],
    ["rate", rateText(bytes[index], seconds)],
  ];
  return { title: kindOf(causes[cause[index]]).one, lines: lines.filter(([, text]) => text !== "") };
}

export function sharesDetails(run: Run, row: Group, tick: number): Details {
  const { bins, end, kinds, tick_s } = run.timeline;
  const bin = Math.min(bins - 1, Math.max(0, Math.floor((tick / end) * bins)));
  const shares = [...run.meansOf(row.begin, row.end)].map(([kind, means]): [string, string] => [kinds[kind], `${percent(means[bin])} busy`]);
  const lines: Details["lines"] = [["time", quantity(tick * tick_s, "s", 5)], ...shares];
  if (row.end - row.begin > 1) lines.push(["lanes", grouped(row.end - row.begin)]);
  return { title: row.label, lines };
}
