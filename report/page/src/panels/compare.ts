// SPDX-License-Identifier: BSD-3-Clause
// Differences between works.
import type { Report, Work } from "../data/facts.ts";
import { element, panel } from "../ui/html.ts";
import { kindOf } from "../ui/palette.ts";
import type { Cell } from "../ui/csv.ts";
import { table } from "../ui/table.ts";
import { change, grouped, plain, quantity } from "../ui/units.ts";
import { busyNames, byteNames } from "./names.ts";
import { workName } from "./works.ts";

interface Row {
  label: string;
  unit: string;
  value: (work: Work) => number | undefined;
}

const plainRows: Row[] = [
  { label: "time", unit: "s", value: ({ report }) => report.makespan_s },
  { label: "bound of this plan", unit: "s", value: ({ report }) => report.bound_s },
  { label: "bound of any plan", unit: "s", value: ({ report }) => report.problem_bound_s },
  { label: "rate", unit: "flop/s", value: ({ report }) => report.flops_per_s },
  { label: "nodes", unit: "", value: ({ nodes }) => nodes },
  { label: "node hours", unit: "", value: ({ nodes, report }) => (nodes * report.makespan_s) / 3600 },
  { label: "energy", unit: "J", value: ({ report }) => report.joules },
  { label: "device memory", unit: "B", value: ({ report }) => report.peak_device_bytes?.max },
];

function keysOf(works: Work[], part: (report: Report) => object | undefined): string[] {
  return [...new Set(works.flatMap(({ report }) => Object.keys(part(report) ?? {})))];
}

function busyRows(works: Work[]): Row[] {
  return keysOf(works, ({ busy }) => busy).map((key) => ({
    label: `${busyNames[key]?.name ?? key}, ${busyNames[key]?.of ?? "all"}`,
    unit: "s",
    value: ({ report }) => (report.busy?.[key] ? report.busy[key].mean * report.makespan_s : undefined),
  }));
}

function pathRows(works: Work[]): Row[] {
  return keysOf(works, ({ limits }) => limits).map((key) => ({ label: kindOf(key).name, unit: "s", value: ({ report }) => report.limits?.[key] }));
}

function byteRows(works: Work[]): Row[] {
  return keysOf(works, ({ bytes }) => bytes)
    .filter((key) => key in byteNames)
    .map((key) => ({ label: byteNames[key], unit: "B", value: ({ report }) => report.bytes?.[key] }));
}

/** Of all operations of a cause. */
function totalRows(works: Work[], key: "operations" | "seconds", unit: string): Row[] {
  const causes = new Set(works.flatMap(({ timeline }) => timeline?.totals.map(({ cause }) => cause) ?? []));
  return [...causes].map((cause) => ({ label: kindOf(cause).name, unit, value: ({ timeline }) => timeline?.totals.find((one) => one.cause === cause)?.[key] }));
}

const textOf = (value: number, unit: string): string => {
  if (unit) return quantity(value, unit);
  return Number.isInteger(value) ? grouped(value) : plain(value);
};

function cells({ unit, value }: Row, works: Work[]): Cell[] {
  const first = value(works[0]);
  return works.flatMap((work, n): Cell[] => {
    const one = value(work);
    const number: Cell = one === undefined ? "-" : { shown: textOf(one, unit), value: one };
    if (n === 0) return [number];
    return [number, one !== undefined && first ? { shown: change(one / first), value: one / first - 1 } : "-"];
  });
}

function headOf(works: Work[]): string[] {
  return ["", ...works.flatMap((work, n) => (n === 0 ? [workName(works, work)] : [workName(works, work), "difference"]))];
}

function titleOf(works: Work[]): string {
  const sources = new Set(works.map(({ source }) => source));
  return sources.size === 2 ? "Predicted beside measured" : "Side by side";
}

/** None where all are empty. */
function part(caption: string, works: Work[], rows: Row[]): HTMLElement[] {
  const there = rows.filter(({ value }) => works.some((work) => value(work)));
  return there.length > 0 ? [table(caption, headOf(works), there.map((row) => [row.label, ...cells(row, works)]))] : [];
}

export function comparePanel(works: Work[]): HTMLElement {
  const groups = [
    ...part("Figures", works, plainRows),
    ...part("Busy, mean times", works, busyRows(works)),
    ...part("Operations by kind, added times", works, totalRows(works, "seconds", "s")),
    ...part("Operations by kind, number", works, totalRows(works, "operations", "")),
    ...part("Critical path", works, pathRows(works)),
    ...part("Bytes moved and made", works, byteRows(works)),
  ];
  return panel(titleOf(works), element("p", { class: "about" }, "Differences are to the first."), element("div", { class: "tables" }, ...groups));
}
