// SPDX-License-Identifier: BSD-3-Clause
// Tables that can be copied as CSV.
import { type Cell, copyOrDownload, csvOf, shown } from "./csv.ts";
import { button, element } from "./html.ts";
import { quantity, percent } from "./units.ts";

export const inUnit = (unit: string): ((value: number) => Cell) => (value) => ({ shown: quantity(value, unit), value });
export const seconds = inUnit("s");
export const bytes = inUnit("B");
export const share = (value: number): Cell => ({ shown: percent(value), value });

/** More rows are in the CSV alone. */
const mostRows = 200;

function copyButton(caption: string, head: string[], rows: Cell[][]): HTMLButtonElement {
  const copy = button("Copy as CSV", `Copy the table "${caption}" as CSV`, () => {
    void copyOrDownload(csvOf(head, rows)).then((done) => (copy.textContent = done));
  });
  return copy;
}

function rowOf(cells: Cell[]): HTMLElement {
  const [first, ...others] = cells;
  return element("tr", {}, element("th", { scope: "row" }, shown(first)), ...others.map((cell) => element("td", {}, shown(cell))));
}

export function table(caption: string, head: string[], rows: Cell[][]): HTMLElement {
  const headings = head.map((name) => (name === "" ? element("td") : element("th", { scope: "col" }, name)));
  const more = rows.length > mostRows ? [element("p", { class: "quiet" }, `${String(rows.length - mostRows)} more rows are in the CSV.`)] : [];
  return element(
    "figure",
    { class: "table" },
    element("figcaption", {}, element("span", {}, caption), " ", copyButton(caption, head, rows)),
    element("div", { class: "wide", tabindex: "0", role: "group", "aria-label": caption }, element("table", {}, element("thead", {}, element("tr", {}, ...headings)), element("tbody", {}, ...rows.slice(0, mostRows).map(rowOf)))),
    ...more,
  );
}
