// SPDX-License-Identifier: BSD-3-Clause
// The history of a search.
import type { Tuning } from "../data/facts.ts";
import type { Cell } from "../ui/csv.ts";
import { element, foldable, panel } from "../ui/html.ts";
import { seconds, table } from "../ui/table.ts";
import { counted } from "../ui/units.ts";
import { bestByValue, bestFirst, varied } from "./search-history.ts";
import { drawSearch } from "./tuning-plot.ts";

function statusText({ evaluations }: Tuning): string {
  const counts = new Map<string, number>();
  for (const { status } of evaluations) counts.set(status, (counts.get(status) ?? 0) + 1);
  return `${counted(evaluations.length, "candidate")}: ${[...counts].map(([status, count]) => `${String(count)} ${status}`).join(", ")}`;
}

function allTable(tuning: Tuning, names: string[]): HTMLElement {
  const time = (value: number | null): Cell => (value === null ? "-" : seconds(value));
  const rows = tuning.evaluations.map((one, n): Cell[] => [String(n + 1), one.status, time(one.makespan_s), time(one.lower_bound_s), ...names.map((name) => one.parameters[name] ?? "-"), one.message ?? ""]);
  return foldable("All candidates", table("All candidates", ["number", "status", "time", "at least", ...names, "message"], rows));
}

const mostBest = 10;

function bestTable(tuning: Tuning, names: string[]): HTMLElement {
  const rows = bestFirst(tuning).slice(0, mostBest).map((one): Cell[] => [String(tuning.evaluations.indexOf(one) + 1), seconds(one.makespan_s), ...names.map((name) => one.parameters[name] ?? "-")]);
  return table("Best candidates", ["number", "time", ...names], rows);
}

function valueTable(tuning: Tuning, name: string): HTMLElement {
  const rows = bestByValue(tuning, name).map(([value, best, count]): Cell[] => [value, seconds(best), { shown: String(count), value: count }]);
  return table(`Best time by ${name}`, [name, "best time", "candidates"], rows);
}

export function tuningPanel(page: HTMLElement, tuning: Tuning): void {
  const names = varied(tuning);
  const plot = element("div", { class: "plot", role: "img", "aria-label": "Times of the candidates in the order in which they ended; the tables have the numbers" });
  const tables = element("div", { class: "tables" }, bestTable(tuning, names), ...names.map((name) => valueTable(tuning, name)));
  page.append(panel(`Search: ${tuning.name}`, element("p", { class: "about" }, statusText(tuning)), plot, tables, allTable(tuning, names)));
  drawSearch(plot, tuning.evaluations);
}
