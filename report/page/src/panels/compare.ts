// SPDX-License-Identifier: BSD-3-Clause
// Several works beside each other.
import type { Total, Work } from "./facts.ts";
import { element, panel } from "./html.ts";
import { kindOf } from "./palette.ts";
import { type Cell, table } from "./table.ts";
import { quantity } from "./units.ts";

interface Row {
  label: string;
  unit: string;
  value: (work: Work) => number | undefined;
}

const rows: Row[] = [
  { label: "time", unit: "s", value: ({ report }) => report.makespan_s },
  { label: "bound of this plan", unit: "s", value: ({ report }) => report.bound_s },
  { label: "bound of any plan", unit: "s", value: ({ report }) => report.problem_bound_s },
  { label: "rate", unit: "flop/s", value: ({ report }) => report.flops_per_s },
  { label: "nodes", unit: "", value: ({ nodes }) => nodes },
  { label: "node hours", unit: "", value: ({ nodes, report }) => (nodes * report.makespan_s) / 3600 },
  { label: "energy", unit: "J", value: ({ report }) => report.joules },
  { label: "between ranks", unit: "B", value: ({ report }) => report.bytes?.network ?? (report.sent_bytes as number | undefined) },
  { label: "host to devices", unit: "B", value: ({ report }) => report.bytes?.h2d },
  { label: "generated", unit: "B", value: ({ report }) => report.bytes?.generated },
];

function cells(row: Row, works: Work[]): Cell[] {
  const first = row.value(works[0]);
  return works.map((work, n): Cell => {
    const value = row.value(work);
    if (value === undefined) return "-";
    const change = n > 0 && first ? ` (${(100 * (value / first - 1)).toFixed(1)}%)` : "";
    const shown = row.unit ? quantity(value, row.unit) : String(Number(value.toPrecision(4)));
    return { shown: shown + change, value };
  });
}

/** What the operations of a kind take together. */
function kindTable(works: Work[]): HTMLElement {
  const causes = [...new Set(works.flatMap(({ timeline }) => timeline?.totals.map(({ cause }) => cause) ?? []))];
  const total = (work: Work, cause: string): Total | undefined => work.timeline?.totals.find((one) => one.cause === cause);
  const lines = causes.flatMap((cause) => {
    const count: Row = { label: `${kindOf(cause).name}, number`, unit: "", value: (work) => total(work, cause)?.operations };
    const seconds: Row = { label: `${kindOf(cause).name}, added times`, unit: "s", value: (work) => total(work, cause)?.seconds };
    return [count, seconds];
  });
  return table("Operations by kind", head(works), lines.map((row) => [row.label, ...cells(row, works)]));
}

const head = (works: Work[]): string[] => ["", ...works.map((work) => `${work.name}, ${work.source}, ${work.platform}`)];

export function comparePanel(works: Work[]): HTMLElement {
  const shown = rows.filter((row) => works.some((work) => row.value(work) !== undefined && row.value(work) !== 0));
  const all = table("Differences are to the first", head(works), shown.map((row) => [row.label, ...cells(row, works)]));
  return panel("Side by side", element("div", { class: "tables" }, all, kindTable(works)));
}
