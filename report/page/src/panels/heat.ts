// SPDX-License-Identifier: BSD-3-Clause
// Busy shares of all devices as a map: one column for each rank, one row for each device.
import type { Run } from "../data/run.ts";
import { meanShare } from "../data/shares.ts";
import { setSize } from "../timeline/surface.ts";
import type { Cell } from "../ui/csv.ts";
import { element, foldable } from "../ui/html.ts";
import { type Colour, css, mixed } from "../ui/palette.ts";
import { onTheme, themeNow } from "../ui/theme.ts";
import { share, table } from "../ui/table.ts";
import { percent } from "../ui/units.ts";

export interface Busy {
  rank: number;
  device: number;
  share: number;
}

/** Of lanes with products; copies of a lane add up. */
export function busyDevices(run: Run): Busy[] {
  const kernels = run.timeline.kinds.indexOf("kernels");
  const found = new Map<string, Busy>();
  for (let lane = 0; lane < run.lanes.count; ++lane) {
    if (run.lanes.kind[lane] !== kernels) continue;
    const [rank, device] = [run.lanes.rank[lane], run.lanes.device[lane]];
    const key = `${String(rank)} ${String(device)}`;
    const one = found.get(key) ?? { rank, device, share: 0 };
    one.share = Math.min(1, one.share + meanShare(run.shares, lane));
    found.set(key, one);
  }
  return [...found.values()];
}

/** Dark to light: viridis, at five places (https://bids.github.io/colormap/). */
const viridis: Colour[] = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];

export function heatColour(value: number): Colour {
  const place = Math.min(1, Math.max(0, value)) * (viridis.length - 1);
  const low = Math.min(viridis.length - 2, Math.floor(place));
  return mixed(viridis[low], viridis[low + 1], place - low);
}

/** Ranks go on below where a line is full. CSS pixels. */
interface Layout {
  cell: number;
  high: number;
  perLine: number;
  devices: number;
  width: number;
  lineHeight: number;
  height: number;
}

const nameSpace = 70;
const labelSpace = 16;

export function layoutOf(ranks: number, devices: number, width: number): Layout {
  const cell = Math.max(3, Math.min(26, Math.floor((width - nameSpace) / ranks)));
  const perLine = Math.max(1, Math.min(ranks, Math.floor((width - nameSpace) / cell)));
  const high = Math.max(7, Math.min(16, cell));
  const lineHeight = devices * high + labelSpace;
  return { cell, high, perLine, devices, width: nameSpace + perLine * cell, lineHeight, height: Math.ceil(ranks / perLine) * lineHeight };
}

interface Range {
  least: number;
  most: number;
}

function rangeOf(list: Busy[]): Range {
  const shares = list.map((one) => one.share);
  return { least: shares.reduce((one, other) => Math.min(one, other), 1), most: shares.reduce((one, other) => Math.max(one, other), 0) };
}

const scaled = (value: number, { least, most }: Range): number => (most - least > 1e-9 ? (value - least) / (most - least) : 1);

function drawLabels(context: CanvasRenderingContext2D, layout: Layout, ranks: number): void {
  context.font = "11px system-ui, sans-serif";
  const every = Math.max(1, Math.ceil(40 / layout.cell / 5)) * 5;
  for (let line = 0; line * layout.perLine < ranks; ++line) {
    const top = line * layout.lineHeight;
    context.fillText(layout.devices > 1 ? `devices 0-${String(layout.devices - 1)}` : "device 0", 0, top + labelSpace + layout.high);
    for (let rank = line * layout.perLine; rank < Math.min(ranks, (line + 1) * layout.perLine); ++rank)
      if (rank % every === 0) context.fillText(String(rank), nameSpace + (rank % layout.perLine) * layout.cell, top + labelSpace - 4);
  }
}

function cellPlace({ rank, device }: Busy, layout: Layout): [x: number, y: number] {
  const line = Math.floor(rank / layout.perLine);
  return [nameSpace + (rank % layout.perLine) * layout.cell, line * layout.lineHeight + labelSpace + device * layout.high];
}

function draw(canvas: HTMLCanvasElement, list: Busy[], layout: Layout, ranks: number): void {
  setSize(canvas, layout.width, layout.height);
  const context = canvas.getContext("2d");
  if (!context) return;
  context.scale(devicePixelRatio, devicePixelRatio);
  context.fillStyle = themeNow().quiet;
  drawLabels(context, layout, ranks);
  const range = rangeOf(list);
  const gap = layout.cell > 5 ? 1 : 0;
  for (const one of list) {
    const [x, y] = cellPlace(one, layout);
    context.fillStyle = css(heatColour(scaled(one.share, range)));
    context.fillRect(x, y, layout.cell - gap, layout.high - gap);
  }
}

function scaleOf({ least, most }: Range): HTMLElement {
  const colours = viridis.map((colour) => css(colour)).join(",");
  return element("span", { class: "scale" }, percent(least), element("span", { class: "ramp", style: `background-image:linear-gradient(90deg,${colours})` }), percent(most));
}

function sayCell(canvas: HTMLCanvasElement, list: Busy[], layout: Layout): void {
  canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => {
    const one = list.find((busy) => {
      const [x, y] = cellPlace(busy, layout);
      return offsetX >= x && offsetX < x + layout.cell && offsetY >= y && offsetY < y + layout.high;
    });
    canvas.title = one ? `rank ${String(one.rank)} device ${String(one.device)}: ${percent(one.share)}` : "";
  });
}

function deviceTable(list: Busy[]): HTMLElement {
  const rows = list.map((one): Cell[] => [`rank ${String(one.rank)}`, { shown: String(one.device), value: one.device }, share(one.share)]);
  return foldable("The same as a table", table("Products: busy share of each device", ["rank", "device", "busy"], rows));
}

const mapWidth = 1300;

/** None of a single device. */
export function heatMap(run: Run): HTMLElement[] {
  const list = busyDevices(run);
  if (list.length < 2) return [];
  const ranks = run.lanes.rank[run.lanes.count - 1] + 1;
  const devices = list.reduce((most, { device }) => Math.max(most, device), 0) + 1;
  const layout = layoutOf(ranks, devices, mapWidth);
  const canvas = element("canvas", { class: "heat", role: "img", "aria-label": "Share of the time in which each device multiplies; columns are ranks, rows are devices. The table below has the numbers." });
  draw(canvas, list, layout, ranks);
  onTheme(() => draw(canvas, list, layout, ranks));
  sayCell(canvas, list, layout);
  const caption = element("figcaption", {}, "Share of the time in which each device multiplies. Columns are ranks. ", scaleOf(rangeOf(list)));
  return [element("h3", {}, "Devices"), element("figure", {}, caption, element("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Map of devices" }, canvas)), deviceTable(list)];
}
