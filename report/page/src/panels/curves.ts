// SPDX-License-Identifier: BSD-3-Clause
// Curves over the time, drawn by uPlot; they follow the window, and all have the time at the same place as the timeline.
import uPlot from "uplot";
import type { Curve, Work } from "../data/facts.ts";
import type { Sections } from "../data/sections.ts";
import type { TimeWindow } from "../timeline/window.ts";
import { element, panel } from "../ui/html.ts";
import { onTheme } from "../ui/theme.ts";
import { type PlotLine, linesOf } from "./plot-lines.ts";
import { height, plotOptions } from "./plot-options.ts";
import { PlotLegend } from "./plot-legend.ts";
import type { Shown } from "./timelines.ts";
import { ofWork, suffix } from "./works.ts";

const titles: Record<string, string> = { busy: "Operations under way", bandwidth: "Transfer rates, all together", memory: "Memory in use", queue: "Ready work" };

/** Curves of one picture have the same meaning and unit. */
function pictures(curves: Curve[]): Curve[][] {
  const parts = new Map<string, Curve[]>();
  for (const curve of curves) {
    const key = `${curve.group} ${curve.unit}`;
    parts.set(key, [...(parts.get(key) ?? []), curve]);
  }
  return [...parts.values()];
}

function titleOf({ group, unit }: Curve): string {
  return (titles[group] ?? group) + (unit.startsWith("per ") ? `, ${unit}` : "");
}

function follow(plot: uPlot, window: TimeWindow): void {
  plot.setScale("x", { min: window.from, max: window.to });
}

class Plot {
  readonly root = element("div", { class: "plot", role: "img" });
  private readonly legend: PlotLegend;
  private plot: uPlot | undefined;

  constructor(
    private readonly title: string,
    private readonly unit: string,
    private readonly lines: PlotLine[],
    private readonly window: TimeWindow,
    private readonly data: uPlot.AlignedData,
  ) {
    this.root.setAttribute("aria-label", `${title} over the time: ${lines.map(({ label }) => label).join(", ")}`);
    this.legend = new PlotLegend(title, unit, lines);
    this.root.append(this.legend.root);
    window.onChange(() => this.plot && follow(this.plot, window));
    onTheme(() => this.draw());
    new ResizeObserver(() => this.resize()).observe(this.root);
  }

  private resize(): void {
    if (this.plot && this.root.clientWidth > 0) this.plot.setSize({ width: this.root.clientWidth, height });
  }

  /** uPlot keeps its colours: another theme needs another plot. */
  draw(): void {
    this.plot?.destroy();
    const selected = (from: number, to: number): void => this.window.show(from, to);
    const options = plotOptions({ title: this.title, unit: this.unit, lines: this.lines, width: Math.max(300, this.root.clientWidth), selected, moved: (bin) => this.legend.show(bin) });
    this.plot = new uPlot(options, this.data, this.root);
    follow(this.plot, this.window);
  }
}

async function plotOf(curves: Curve[], seconds: number, window: TimeWindow, sections: Sections): Promise<Plot> {
  const lines = (await Promise.all(curves.map((curve, n) => linesOf(curve, n, sections)))).flat();
  const bins = lines[0].values.length;
  const times = Float64Array.from({ length: bins }, (_, bin) => ((bin + 0.5) * seconds) / bins);
  return new Plot(titleOf(curves[0]), curves[0].unit, lines, window, [times, ...lines.map(({ values }) => values)]);
}

export async function curvesPanel(page: HTMLElement, works: Work[], { work, run }: Shown, window: TimeWindow, sections: Sections): Promise<void> {
  if (work.curves.length === 0) return;
  const plots = await Promise.all(pictures(work.curves).map((curves) => plotOf(curves, run.seconds, window, sections)));
  page.append(ofWork(panel(`Over time${suffix(works, work)}`, ...plots.map(({ root }) => root)), works.indexOf(work)));
  for (const plot of plots) plot.draw();
}
