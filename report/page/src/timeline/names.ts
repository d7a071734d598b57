// SPDX-License-Identifier: BSD-3-Clause
// Names of rows, beside the canvas: text that can be selected, and buttons that fold.
import { element } from "../ui/html.ts";
import { type Group, isLane } from "./groups.ts";

export class Names {
  readonly root = element("div", { class: "names" });
  private shown = "";

  constructor(private readonly toggle: (row: number) => void) {}

  /** Rows from number `first` on; `top` as in Scene. Most frames of a zoom change no name. */
  show(rows: Group[], first: number, selected: number, top: number): void {
    this.root.style.top = `${String(top)}px`;
    const state = rows.map((row) => `${String(row.begin)}-${String(row.end)}${row.open ? "o" : ""}`).join() + ` ${String(first)} ${String(selected)}`;
    if (state === this.shown) return;
    this.shown = state;
    this.root.replaceChildren(...rows.map((row, n) => this.nameOf(row, first + n, selected)));
  }

  private nameOf(row: Group, number: number, selected: number): HTMLElement {
    const attributes = { class: number === selected ? "name selected" : "name", style: `padding-left:${String(4 + 11 * row.depth)}px`, title: row.label };
    if (isLane(row)) return element("div", attributes, row.label);
    const sign = element("span", { "aria-hidden": "true" }, row.open ? "▾ " : "▸ ");
    const made = element("button", { ...attributes, type: "button", tabindex: "-1", "aria-expanded": String(row.open) }, sign, row.label);
    made.addEventListener("click", () => this.toggle(number));
    return made;
  }
}
