// SPDX-License-Identifier: BSD-3-Clause
// Times of the candidates of a search, one after the other, and the best one until then.
import uPlot from "uplot";
import type { Evaluation } from "../data/facts.ts";
import { type Colour, css } from "../ui/palette.ts";
import { onTheme } from "../ui/theme.ts";
import { PlotLegend } from "./plot-legend.ts";
import type { PlotLine } from "./plot-lines.ts";
import { axes, height } from "./plot-options.ts";

const doneColour: Colour = [0, 114, 178];
const stoppedColour: Colour = [204, 121, 167];
const bestColour: Colour = [213, 94, 0];

/** Not a number where a candidate has no time. */
function column(evaluations: Evaluation[], key: "makespan_s" | "lower_bound_s"): Float32Array {
  return Float32Array.from(evaluations, (one) => one[key] ?? Number.NaN);
}

export function bestUntil(times: Float32Array): Float32Array {
  let best = Number.NaN;
  return times.map((time) => (best = Number.isNaN(time) || time >= best ? best : time));
}

function linesOf(evaluations: Evaluation[]): PlotLine[] {
  const done = column(evaluations, "makespan_s");
  return [
    { label: "done", colour: doneColour, values: done, width: 0 },
    { label: "stopped, at least", colour: stoppedColour, values: column(evaluations, "lower_bound_s"), width: 0 },
    { label: "best until then", colour: bestColour, values: bestUntil(done), width: 1.5 },
  ];
}

const withGaps = (values: Float32Array): (number | null)[] => Array.from(values, (value) => (Number.isNaN(value) ? null : value));

function series({ label, colour, width }: PlotLine): uPlot.Series {
  if (width > 0) return { label, stroke: css(colour), width, points: { show: false } };
  return { label, stroke: css(colour), paths: () => null, points: { show: true, size: 5, fill: css(colour) } };
}

function optionsOf(lines: PlotLine[], width: number, moved: (index: number | undefined) => void): uPlot.Options {
  const [, times] = axes("s");
  const numbers: uPlot.Axis = { ...axes("")[0], values: (_, ticks) => ticks.map(String) };
  return {
    width,
    height,
    padding: [8, 10, 0, 0],
    legend: { show: false },
    cursor: { drag: { x: false, y: false } },
    scales: { x: { time: false } },
    axes: [numbers, times],
    series: [{}, ...lines.map(series)],
    hooks: { setCursor: [(plot) => moved(plot.cursor.idx ?? undefined)] },
  };
}

export function drawSearch(root: HTMLElement, evaluations: Evaluation[]): void {
  const lines = linesOf(evaluations);
  const legend = new PlotLegend("Time of candidates", "s", lines);
  root.append(legend.root);
  const data: uPlot.AlignedData = [evaluations.map((_, n) => n + 1), ...lines.map(({ values }) => withGaps(values))];
  const make = (): uPlot => new uPlot(optionsOf(lines, Math.max(300, root.clientWidth), (index) => legend.show(index)), data, root);
  let plot = make();
  onTheme(() => {
    plot.destroy();
    plot = make();
  });
  new ResizeObserver(() => plot.setSize({ width: Math.max(300, root.clientWidth), height })).observe(root);
}
