// SPDX-License-Identifier: BSD-3-Clause
// Curves over the time, drawn by uPlot; they follow the window.
import uPlot from "uplot";
import { themeOf } from "./timeline.ts";
import type { Curve, Timeline, Work } from "./facts.ts";
import { element, panel } from "./html.ts";
import { css, kindOf } from "./palette.ts";
import type { Sections } from "./sections.ts";
import { quantity } from "./units.ts";
import type { TimeWindow } from "./window.ts";

const titles: Record<string, string> = { busy: "Operations under way", bandwidth: "Bytes per second, all together", memory: "Memory in use", queue: "Ready work" };
const plain = ["#0072b2", "#d55e00", "#777777"];
const height = 180;

interface Line {
  label: string;
  colour: string;
  values: ArrayLike<number>;
  dash?: number[];
}

async function linesOf(curve: Curve, sections: Sections): Promise<Line[]> {
  const mean = await sections.numbers(curve.mean);
  const colour = curve.cause ? css(kindOf(curve.cause).colour) : plain[0];
  const lines: Line[] = [{ label: curve.most ? `${curve.name}, mean` : curve.name, colour, values: mean }];
  if (curve.most) lines.push({ label: `${curve.name}, most`, colour: plain[1], values: await sections.numbers(curve.most) });
  if (curve.limit) lines.push({ label: "limit", colour: plain[2], values: Array<number>(mean.length).fill(curve.limit), dash: [6, 4] });
  return lines;
}

function options(title: string, unit: string, lines: Line[], width: number, theme: { line: string; text: string }): uPlot.Options {
  const axis = { stroke: theme.text, grid: { stroke: theme.line }, ticks: { stroke: theme.line } };
  const bytes = unit.startsWith("B");
  return {
    title,
    width,
    height,
    cursor: { sync: { key: "time" } },
    scales: { x: { time: false } },
    axes: [
      { ...axis, values: (_, ticks) => ticks.map((tick) => quantity(tick, "s")) },
      { ...axis, size: 70, values: (_, ticks) => ticks.map((tick) => (bytes ? quantity(tick, unit) : String(tick))) },
    ],
    series: [
      { label: "time", value: (_, value) => (value === null ? "-" : quantity(value, "s")) },
      ...lines.map((line) => ({
        label: line.label,
        stroke: line.colour,
        width: 1.5,
        points: { show: false },
        ...(line.dash ? { dash: line.dash } : {}),
        value: (_: uPlot, value: number | null) => (value === null ? "-" : bytes ? quantity(value, unit) : value.toFixed(2)),
      })),
    ],
  };
}

/** One picture for the curves of a group. */
async function plot(group: string, curves: Curve[], timeline: Timeline, window: TimeWindow, sections: Sections, root: HTMLElement): Promise<void> {
  const lines = (await Promise.all(curves.map((curve) => linesOf(curve, sections)))).flat();
  const bins = lines[0].values.length;
  const bin_s = (timeline.end * timeline.tick_s) / bins;
  const times = Float64Array.from({ length: bins }, (_, bin) => (bin + 0.5) * bin_s);
  const place = element("div", { class: "plot", role: "img", "aria-label": `${titles[group] ?? group} over the time` });
  root.append(place);
  const data = [times, ...lines.map(({ values }) => Float64Array.from(values))] as unknown as uPlot.AlignedData;
  const drawn = new uPlot(options(titles[group] ?? group, curves[0].unit, lines, Math.max(300, root.clientWidth), themeOf(root)), data, place);
  window.onChange(() => drawn.setScale("x", { min: window.from * timeline.tick_s, max: window.to * timeline.tick_s }));
  new ResizeObserver(() => drawn.setSize({ width: Math.max(300, root.clientWidth), height })).observe(root);
}

export async function curvesPanel(work: Work, timeline: Timeline, window: TimeWindow, sections: Sections, page: HTMLElement): Promise<void> {
  const root = element("div", { class: "curves" });
  page.append(panel(`Over time, ${work.name}, ${work.source}`, root));
  for (const group of new Set(work.curves.map((curve) => curve.group)))
    await plot(group, work.curves.filter((curve) => curve.group === group), timeline, window, sections, root);
}
