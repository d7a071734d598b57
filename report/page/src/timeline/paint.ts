// SPDX-License-Identifier: BSD-3-Clause
// Rows of a timeline as pixels. Boxes go to memory first: a canvas takes some microseconds for each rectangle.
import type { Operations } from "../data/blocks.ts";
import { pooled } from "../data/shares.ts";
import { kindOfLane } from "../ui/palette.ts";
import { colourFunction, kindNumber } from "./colours.ts";
import { type Group, isLane } from "./groups.ts";
import { drawLabels, drawMarks, outlineChosen } from "./overlay.ts";
import { type Scene, rowHeight, showsOperations, shownMeans } from "./scene.ts";
import { Line, addOperations } from "./line.ts";
import { cleared } from "./surface.ts";

const padding = 1;

/** Screen pixels. */
interface Picture {
  pixels: Uint32Array;
  width: number;
  height: number;
  ratio: number;
  line: Line;
  shares: Float32Array;
}

/** Repeats a line of pixels from `top` to `bottom`, both in CSS pixels. */
function fill(picture: Picture, top: number, bottom: number, line: Uint32Array): void {
  const first = Math.max(0, Math.round(top * picture.ratio));
  const last = Math.min(picture.height, Math.max(first + 1, Math.round(bottom * picture.ratio)));
  for (let y = first; y < last; ++y) picture.pixels.set(line, y * picture.width);
}

function sharesLine(scene: Scene, means: Float32Array, ramp: Uint32Array, picture: Picture): Uint32Array {
  const perTick = scene.run.timeline.bins / scene.run.timeline.end;
  const shares = pooled(means, scene.from * perTick, scene.to * perTick, picture.shares);
  return Uint32Array.from(shares, (share) => (share > 0 ? ramp[Math.min(255, Math.ceil(255 * share))] : 0));
}

/** A strip for each kind of work that the row has. */
function paintShares(picture: Picture, top: number, row: Group, scene: Scene): void {
  const strips = shownMeans(scene, row);
  const height = (rowHeight - 2 * padding) / strips.length;
  strips.forEach(([kind, means], n) => {
    const line = sharesLine(scene, means, scene.ramps.kinds[kindNumber(kindOfLane(kind).cause)], picture);
    fill(picture, top + padding + n * height, top + padding + (n + 1) * height, line);
  });
}

/** Undefined: some are not yet there. */
function loadedBlocks({ run, from, to }: Scene, lane: number): Operations[] | undefined {
  const blocks = run.blocksIn(lane, from, to).map((block) => run.block(block));
  return blocks.every((block) => block !== undefined) ? blocks : undefined;
}

function paintOperations(picture: Picture, top: number, blocks: Operations[], scene: Scene): void {
  const { run, hidden, colouring, ramps } = scene;
  picture.line.clear();
  for (const operations of blocks)
    addOperations(picture.line, operations, scene.from, scene.to, colourFunction(colouring, operations, run.timeline.causes, hidden));
  const line = new Uint32Array(picture.width);
  picture.line.paint(line, colouring === "kind" ? ramps.kinds : ramps.tiles);
  fill(picture, top + padding, top + rowHeight - padding, line);
}

/** Returns the blocks of the lanes whose operations are drawn. */
function paintRows(picture: Picture, scene: Scene): Map<number, Operations[]> {
  const single = showsOperations(scene);
  const drawn = new Map<number, Operations[]>();
  scene.rows.forEach((row, n) => {
    const top = scene.top + n * rowHeight;
    const blocks = single && isLane(row) ? loadedBlocks(scene, row.begin) : undefined;
    if (blocks) {
      paintOperations(picture, top, blocks, scene);
      drawn.set(n, blocks);
    } else paintShares(picture, top, row, scene);
  });
  return drawn;
}

function drawSeparators(context: CanvasRenderingContext2D, scene: Scene, width: number): void {
  context.fillStyle = scene.theme.line;
  scene.rows.forEach((_, n) => context.fillRect(0, scene.top + (n + 1) * rowHeight - 0.5, width, 0.5));
}

export function drawRows(canvas: HTMLCanvasElement, scene: Scene): void {
  const surface = cleared(canvas);
  if (!surface) return;
  const { context, width, ratio } = surface;
  const image = context.createImageData(canvas.width, canvas.height);
  const line = new Line(canvas.width);
  const picture = { pixels: new Uint32Array(image.data.buffer), width: canvas.width, height: canvas.height, ratio, line, shares: new Float32Array(canvas.width) };
  const drawn = paintRows(picture, scene);
  context.putImageData(image, 0, 0);
  drawSeparators(context, scene, width);
  for (const [row, blocks] of drawn) drawLabels(surface, scene, scene.top + row * rowHeight, blocks);
  drawMarks(surface, scene);
  outlineChosen(surface, scene);
}
