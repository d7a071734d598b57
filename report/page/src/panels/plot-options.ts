// SPDX-License-Identifier: BSD-3-Clause
import type uPlot from "uplot";
import { nameWidth } from "../ui/layout.ts";
import { css } from "../ui/palette.ts";
import { themeNow } from "../ui/theme.ts";
import { quantity, timeLabel } from "../ui/units.ts";
import type { PlotLine } from "./plot-lines.ts";

export const height = 140;
const halfLabel = 22;

interface Parts {
  title: string;
  unit: string;
  lines: PlotLine[];
  width: number;
  /** The user marked a part of the time. */
  selected: (from: number, to: number) => void;
  /** The cursor is in a bin, or outside. */
  moved: (bin: number | undefined) => void;
}

/** "per device" and "per rank" are said by the title. */
export const valueText = (value: number, unit: string): string => (unit.startsWith("per ") ? String(Number(value.toPrecision(3))) : quantity(value, unit, 3));

/** There is no room right of the picture, as there is none right of the timeline. */
const isCut = (plot: uPlot, tick: number): boolean => plot.valToPos(tick, "x") + halfLabel > plot.width - nameWidth;

export function axes(unit: string): uPlot.Axis[] {
  const { quiet, line } = themeNow();
  const shared = { stroke: quiet, font: "11px system-ui, sans-serif", grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1, size: 4 } };
  const times = (plot: uPlot, ticks: number[]): string[] => ticks.map((tick) => (isCut(plot, tick) ? "" : timeLabel(tick, ticks.length > 1 ? ticks[1] - ticks[0] : 1, plot.scales.x.max ?? 0)));
  return [
    { ...shared, size: 24, gap: 2, values: times },
    { ...shared, size: nameWidth, gap: 4, values: (_, ticks) => ticks.map((tick) => valueText(tick, unit)) },
  ];
}

const series = ({ colour, width, dash, label }: PlotLine): uPlot.Series => ({ label, stroke: css(colour), width, ...(dash ? { dash } : {}), points: { show: false } });

/** A part that is marked with the pointer goes to all pictures, not to this plot alone. */
function onSelect(plot: uPlot, { selected }: Parts): void {
  const { left, width } = plot.select;
  if (width <= 2) return;
  const [from, to] = [plot.posToVal(left, "x"), plot.posToVal(left + width, "x")];
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  selected(from, to);
}

/** Plots share the cursor, but each selection is told once. */
const isMove = (event: string): boolean => event !== "mousedown" && event !== "mouseup";

export function plotOptions(parts: Parts): uPlot.Options {
  return {
    width: parts.width,
    height,
    padding: [8, 0, 0, 0],
    legend: { show: false },
    cursor: { sync: { key: "time", filters: { pub: isMove } }, drag: { x: true, y: false, setScale: false }, points: { size: 5 } },
    scales: { x: { time: false }, y: { range: (_, least, most) => [Math.min(0, least), most > 0 ? 1.05 * most : 1] } },
    axes: axes(parts.unit),
    series: [{}, ...parts.lines.map(series)],
    hooks: {
      setSelect: [(plot) => onSelect(plot, parts)],
      setCursor: [(plot) => parts.moved(plot.cursor.idx ?? undefined)],
    },
  };
}
