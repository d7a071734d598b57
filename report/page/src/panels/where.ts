// SPDX-License-Identifier: BSD-3-Clause
// Where the time goes: the critical path, busy shares, bytes, savings.
import type { Report, Work } from "./facts.ts";
import { element, panel } from "./html.ts";
import { css, kindOf } from "./palette.ts";
import { type Cell, table } from "./table.ts";
import { percent, quantity } from "./units.ts";

const parts = ["work", "software", "latency_bound"];

const causeOfBusy: Record<string, [label: string, of: string]> = {
  kernels: ["products", "devices"],
  h2d: ["copies, host to device", "devices"],
  d2d: ["copies, device to device", "devices"],
  d2h: ["copies, device to host", "devices"],
  generation: ["generation", "cores"],
  network: ["sending", "ranks"],
  combining: ["additions", "ranks"],
};

interface PathRow {
  cause: string;
  seconds: number;
  of: number[];
}

/** Seconds of the critical path by cause, the longest first; those that it has. */
export function pathRows(report: Report): PathRow[] {
  return Object.entries(report.limits ?? {})
    .map(([cause, seconds]) => ({ cause, seconds, of: parts.map((part) => report.limit_parts?.[cause]?.[part] ?? 0) }))
    .filter((row) => row.seconds > 0)
    .sort((one, other) => other.seconds - one.seconds);
}

function pathBars(rows: PathRow[]): HTMLElement {
  const longest = rows[0].seconds;
  const bars = rows.map(({ cause, seconds }) => {
    const bar = element("span", { class: "bar", style: `width:${String((100 * seconds) / longest)}%;background:${css(kindOf(cause).colour)}` });
    return element("div", { class: "bar-row" }, element("span", {}, kindOf(cause).name), element("span", { class: "bar-space" }, bar), element("span", {}, quantity(seconds, "s")));
  });
  return element("div", { class: "bars", "aria-hidden": "true" }, ...bars);
}

const seconds = (value: number): Cell => ({ shown: quantity(value, "s"), value });

function pathPart(report: Report): Node[] {
  const rows = pathRows(report);
  if (rows.length === 0) return [];
  const total = rows.reduce((sum, row) => sum + row.seconds, 0);
  const cells = rows.map((row): Cell[] => [kindOf(row.cause).name, seconds(row.seconds), { shown: percent(row.seconds / total), value: row.seconds / total }, ...row.of.map(seconds)]);
  return [pathBars(rows), table("Critical path", ["cause", "time", "share", "work", "software", "latency-bound"], cells)];
}

function busyPart(report: Report): Node[] {
  const share = (value: number): Cell => ({ shown: percent(value), value });
  const rows = Object.entries(report.busy ?? {})
    .filter(([, spread]) => spread.max > 0)
    .map(([key, { min, mean, max }]): Cell[] => [(causeOfBusy[key] ?? [key])[0], (causeOfBusy[key] ?? ["", ""])[1], share(min), share(mean), share(max)]);
  return rows.length > 0 ? [table("Busy, share of the time", ["work", "of", "least", "mean", "most"], rows)] : [];
}

function bytesPart(report: Report): Node[] {
  const names: Record<string, string> = { network: "between ranks", between_nodes: "of these between nodes", h2d: "host to devices", d2d: "between devices", d2h: "devices to host", generated: "generated" };
  const rows = Object.entries(report.bytes ?? {})
    .filter(([key, value]) => key in names && value > 0)
    .map(([key, value]): Cell[] => [names[key], { shown: quantity(value, "B"), value }]);
  return rows.length > 0 ? [table("Bytes", ["moved or made", "bytes"], rows)] : [];
}

function savingsPart(report: Report): Node[] {
  const rows = (report.what_if ?? []).map((row): Cell[] => [row.resource, seconds(row.makespan_s), seconds(row.saved_s)]);
  return rows.length > 0 ? [table("Twice as good", ["resource", "time", "saved"], rows)] : [];
}

export function wherePanel(work: Work, ...more: Node[]): HTMLElement {
  const { report } = work;
  return panel(`Where the time goes, ${work.name}, ${work.source}`, element("div", { class: "tables" }, ...pathPart(report), ...busyPart(report), ...bytesPart(report), ...savingsPart(report)), ...more);
}
