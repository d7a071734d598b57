// SPDX-License-Identifier: BSD-3-Clause
// Rows of a timeline as pixels.
import type { Group } from "./groups.ts";
import { causeOfLane, css, kindOf } from "./palette.ts";
import type { Run } from "./run.ts";
import type { TimeWindow } from "./window.ts";

export const rowHeight = 20;
const padding = 2;

/** More operations than that in view are drawn as shares. */
const mostOperations = 30_000;

export interface Theme {
  background: string;
  line: string;
  text: string;
}

export interface Scene {
  run: Run;
  window: TimeWindow;
  rows: Group[];
  hidden: ReadonlySet<string>;
  theme: Theme;
}

/** Mean of the bins under each of `width` pixels. */
export function pooled(bins: Float32Array, from: number, to: number, width: number): Float32Array {
  const pixels = new Float32Array(width);
  const step = (to - from) / width;
  for (let x = 0; x < width; ++x) {
    const first = Math.min(bins.length - 1, Math.floor(from + x * step));
    const last = Math.min(bins.length, Math.max(first + 1, Math.ceil(from + (x + 1) * step)));
    let sum = 0;
    for (let bin = first; bin < last; ++bin) sum += bins[bin];
    pixels[x] = sum / (last - first);
  }
  return pixels;
}

/** Whether a row is one lane, whose operations can be drawn. */
export const isLane = (row: Group): boolean => row.children.length === 0;

export function showsOperations(scene: Scene): boolean {
  const { run, window } = scene;
  let sum = 0;
  for (const row of scene.rows) if (isLane(row)) sum += run.operationsIn(row.begin, window.from, window.to);
  return sum <= mostOperations;
}

function strip(image: ImageData, top: number, height: number, pixels: Float32Array, colour: [number, number, number]): void {
  const { data, width } = image;
  for (let x = 0; x < width; ++x) {
    const alpha = pixels[x] <= 0 ? 0 : 40 + 215 * Math.min(1, pixels[x]);
    for (let y = top; y < top + height; ++y) {
      const at = 4 * (y * width + x);
      [data[at], data[at + 1], data[at + 2]] = colour;
      data[at + 3] = alpha;
    }
  }
}

/** One strip for each kind of work that the row has. */
function drawShares(image: ImageData, top: number, row: Group, scene: Scene): void {
  const { run, window, hidden } = scene;
  const perTick = run.timeline.bins / run.timeline.end;
  const kinds = [...run.meansOf(row)].filter(([kind]) => !hidden.has(causeOfLane[run.timeline.kinds[kind]]));
  const height = (rowHeight - 2 * padding) / kinds.length;
  kinds.forEach(([kind, means], n) => {
    const pixels = pooled(means, window.from * perTick, window.to * perTick, image.width);
    const from = Math.round(n * height);
    strip(image, top + padding + from, Math.max(1, Math.round((n + 1) * height) - from), pixels, kindOf(causeOfLane[run.timeline.kinds[kind]]).colour);
  });
}

function drawOperations(context: CanvasRenderingContext2D, top: number, lane: number, scene: Scene, width: number): void {
  const { run, window, hidden } = scene;
  const scale = width / (window.to - window.from);
  for (const number of run.blocksIn(lane, window.from, window.to)) {
    const operations = run.block(number);
    if (!operations) continue;
    for (let n = 0; n < operations.start.length; ++n) {
      if (operations.end[n] < window.from || operations.start[n] > window.to) continue;
      const kind = kindOf(run.timeline.causes[operations.cause[n]]);
      if (hidden.has(kind.cause)) continue;
      const left = (operations.start[n] - window.from) * scale;
      const length = Math.max(1, (operations.end[n] - operations.start[n]) * scale);
      context.fillStyle = css(kind.colour);
      context.fillRect(left, top + padding, length > 3 ? length - 1 : length, rowHeight - 2 * padding);
      if (length > 60) drawLabel(context, left, top, length, operations.i[n], operations.j[n], operations.k[n]);
    }
  }
}

/** "C(2,5) k 7", as far as they are known. */
export function tileText(i: number, j: number, k: number): string {
  const parts = [i >= 0 ? `i ${String(i)}` : "", j >= 0 ? `j ${String(j)}` : "", k >= 0 ? `k ${String(k)}` : ""];
  return parts.filter(Boolean).join(", ");
}

function drawLabel(context: CanvasRenderingContext2D, left: number, top: number, length: number, i: number, j: number, k: number): void {
  const from = Math.max(left, 0);
  context.save();
  context.beginPath();
  context.rect(from, top, left + length - from - 2, rowHeight);
  context.clip();
  context.fillStyle = "#000";
  context.fillText(tileText(i, j, k), from + 3, top + rowHeight / 2 + 4);
  context.restore();
}

/** Rows from `firstRow` on fill the canvas. In pixels of the screen. */
export function drawRows(canvas: HTMLCanvasElement, scene: Scene, firstRow: number): void {
  const context = canvas.getContext("2d");
  if (!context || canvas.width === 0 || canvas.height === 0) return;
  const rows = scene.rows.slice(firstRow, firstRow + Math.ceil(canvas.height / rowHeight));
  const single = showsOperations({ ...scene, rows });
  context.clearRect(0, 0, canvas.width, canvas.height);
  const image = context.createImageData(canvas.width, rows.length * rowHeight);
  rows.forEach((row, n) => {
    if (!(single && isLane(row))) drawShares(image, n * rowHeight, row, scene);
  });
  context.putImageData(image, 0, 0);
  context.font = "11px system-ui, sans-serif";
  rows.forEach((row, n) => {
    if (single && isLane(row)) drawOperations(context, n * rowHeight, row.begin, scene, canvas.width);
    context.fillStyle = scene.theme.line;
    context.fillRect(0, (n + 1) * rowHeight - 1, canvas.width, 1);
  });
  drawMarks(context, scene, canvas);
}

function drawMarks(context: CanvasRenderingContext2D, scene: Scene, canvas: HTMLCanvasElement): void {
  const { window, run } = scene;
  const scale = canvas.width / (window.to - window.from);
  context.fillStyle = scene.theme.text;
  for (const mark of run.timeline.marks) {
    const x = (mark.seconds / run.timeline.tick_s - window.from) * scale;
    for (let y = 0; y < canvas.height; y += 8) context.fillRect(Math.round(x), y, 1, 5);
  }
}
