// SPDX-License-Identifier: BSD-3-Clause
// Names of a plot's lines beside it, with their values under the cursor.
import { element } from "../ui/html.ts";
import { css } from "../ui/palette.ts";
import { valueText } from "./plot-options.ts";
import type { PlotLine } from "./plot-lines.ts";

export class PlotLegend {
  readonly root: HTMLElement;
  private readonly values: HTMLElement[];

  constructor(
    title: string,
    private readonly unit: string,
    private readonly lines: PlotLine[],
  ) {
    this.values = lines.map(() => element("span", { class: "value" }));
    const entries = lines.map((line, n) => element("li", {}, sample(line), line.label, " ", this.values[n]));
    this.root = element("div", { class: "plot-legend" }, element("h3", {}, title), element("ul", {}, ...entries));
  }

  /** Undefined: the cursor is outside. */
  show(bin: number | undefined): void {
    this.lines.forEach(({ values }, n) => (this.values[n].textContent = bin === undefined ? "" : valueText(values[bin], this.unit)));
  }
}

function sample({ colour, dash }: PlotLine): HTMLElement {
  return element("span", { class: "sample", style: `border-top:2px ${dash ? "dashed" : "solid"} ${css(colour)}` });
}
