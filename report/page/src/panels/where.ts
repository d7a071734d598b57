// SPDX-License-Identifier: BSD-3-Clause
// Where the time goes: the critical path, busy shares, bytes.
import type { Report, Work } from "../data/facts.ts";
import type { Run } from "../data/run.ts";
import { bars } from "../ui/bars.ts";
import type { Cell } from "../ui/csv.ts";
import { element, panel } from "../ui/html.ts";
import { kindOf } from "../ui/palette.ts";
import { bytes, seconds, share, table } from "../ui/table.ts";
import { grouped, percent, quantity } from "../ui/units.ts";
import { heatMap } from "./heat.ts";
import { busyNames, byteNames } from "./names.ts";
import { ofWork, suffix } from "./works.ts";

const parts = ["work", "software", "latency_bound"];

interface PathRow {
  cause: string;
  seconds: number;
  share: number;
  of: number[];
}

/** Seconds of the critical path by cause, the longest first; those that it has. */
export function pathRows({ limits, limit_parts }: Report): PathRow[] {
  const total = Object.values(limits ?? {}).reduce((sum, value) => sum + value, 0);
  return Object.entries(limits ?? {})
    .map(([cause, value]) => ({ cause, seconds: value, share: value / total, of: parts.map((part) => limit_parts?.[cause]?.[part] ?? 0) }))
    .filter((row) => row.seconds > 0)
    .sort((one, other) => other.seconds - one.seconds);
}

/** Of each cause its work, then fainter its software and latency. */
function pathBars(rows: PathRow[]): HTMLElement {
  return bars(
    rows.map((row) => {
      const { colour, name } = kindOf(row.cause);
      const [work, ...others] = row.of;
      const inParts = row.of.some((value) => value > 0);
      const faded = others.map((value) => ({ value, colour, faded: true }));
      return { label: name, parts: inParts ? [{ value: work, colour }, ...faded] : [{ value: row.seconds, colour }], text: `${quantity(row.seconds, "s")}, ${percent(row.share)}` };
    }),
  );
}

function pathPart(report: Report): HTMLElement[] {
  const rows = pathRows(report);
  if (rows.length === 0) return [];
  const cells = rows.map((row): Cell[] => [kindOf(row.cause).name, seconds(row.seconds), share(row.share), ...(report.limit_parts ? row.of.map(seconds) : [])]);
  const head = ["cause", "time", "share", ...(report.limit_parts ? ["work", "software", "latency-bound"] : [])];
  const note = report.limit_parts ? "Full colour: work. Hatched: software, then latency-bound." : "";
  return [element("div", {}, element("h3", {}, "Critical path"), pathBars(rows), element("p", { class: "quiet" }, note)), table("Critical path, seconds", head, cells)];
}

function busyPart(report: Report): HTMLElement[] {
  const rows = Object.entries(report.busy ?? {})
    .filter(([, spread]) => spread.max > 0)
    .map(([key, { min, mean, max }]): Cell[] => [busyNames[key]?.name ?? key, busyNames[key]?.of ?? "", share(min), share(mean), share(max)]);
  return rows.length > 0 ? [table("Busy, share of the time", ["work", "of", "least", "mean", "most"], rows)] : [];
}

function meansPart({ mean_s: means }: Report): HTMLElement[] {
  const rows = Object.entries(means ?? {}).map(([key, value]): Cell[] => [key, seconds(value)]);
  return rows.length > 0 ? [table("At work, mean of all ranks", ["work", "time"], rows)] : [];
}

function bytesPart({ bytes: moved, sent_bytes: sent }: Report): HTMLElement[] {
  const rows = Object.entries(moved ?? {})
    .filter(([key, value]) => key in byteNames && value > 0)
    .map(([key, value]): Cell[] => [byteNames[key], bytes(value)]);
  if (sent && !moved) rows.push([byteNames.network, bytes(sent)]);
  return rows.length > 0 ? [table("Bytes", ["moved or made", "bytes"], rows)] : [];
}

function stepsPart({ steps }: Report): HTMLElement[] {
  const count = (value: number): Cell => ({ shown: grouped(value), value });
  const rows = (steps ?? []).map((step): Cell[] => [String(step.step), count(step.terms), count(step.gemms), step.strategy, bytes(step.sent_bytes), seconds(step.end_s)]);
  return rows.length > 0 ? [table("Steps of the program", ["step", "terms", "products", "strategy", "sent", "end"], rows)] : [];
}

export function wherePanel(works: Work[], work: Work, run: Run | undefined): HTMLElement {
  const { report } = work;
  const tables = element("div", { class: "tables" }, ...pathPart(report), ...busyPart(report), ...meansPart(report), ...bytesPart(report), ...stepsPart(report));
  return ofWork(panel(`Where the time goes${suffix(works, work)}`, tables, ...(run ? heatMap(run) : [])), works.indexOf(work));
}
