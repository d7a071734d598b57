// SPDX-License-Identifier: BSD-3-Clause
// Horizontal bars. A table beside them has the same numbers.
import { element } from "./html.ts";
import { type Colour, css } from "./palette.ts";

export interface Bar {
  label: string;
  /** Parts of the bar, from left to right. */
  parts: { value: number; colour: Colour; faded?: boolean }[];
  text: string;
}

export const total = ({ parts }: Bar): number => parts.reduce((sum, { value }) => sum + value, 0);

function barRow(bar: Bar, longest: number): HTMLElement {
  const parts = bar.parts.map(({ value, colour, faded }) =>
    element("span", { class: faded ? "part faded" : "part", style: `width:${((100 * value) / longest).toFixed(3)}%;background-color:${css(colour)}` }),
  );
  return element("div", { class: "bar-row" }, element("span", {}, bar.label), element("span", { class: "bar" }, ...parts), element("span", { class: "number" }, bar.text));
}

export function bars(list: Bar[]): HTMLElement {
  const longest = list.reduce((most, bar) => Math.max(most, total(bar)), 0) || 1;
  return element("div", { class: "bars" }, ...list.map((bar) => barRow(bar, longest)));
}
