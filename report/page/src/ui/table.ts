// SPDX-License-Identifier: BSD-3-Clause
// Tables that can be copied as CSV.
import { button, element } from "./html.ts";

/** As shown, and as a number of the CSV where that differs. */
export type Cell = string | { shown: string; value: number };

const shown = (cell: Cell): string => (typeof cell === "string" ? cell : cell.shown);

function csvField(cell: Cell): string {
  if (typeof cell !== "string") return String(cell.value);
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

export function csvOf(head: string[], rows: Cell[][]): string {
  return [head, ...rows].map((row) => row.map(csvField).join(",")).join("\n") + "\n";
}

export function table(caption: string, head: string[], rows: Cell[][]): HTMLElement {
  const body = rows.map((row) =>
    element("tr", {}, ...row.map((cell, n) => (n === 0 ? element("th", { scope: "row" }, shown(cell)) : element("td", {}, shown(cell))))),
  );
  const copy = button("Copy as CSV", `Copy "${caption}" as CSV`, () => {
    void navigator.clipboard.writeText(csvOf(head, rows)).then(() => {
      copy.textContent = "Copied";
    });
  });
  return element(
    "figure",
    { class: "table" },
    element("figcaption", {}, caption, " ", copy),
    element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...head.map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, ...body),
    ),
  );
}
