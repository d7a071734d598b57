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

/** In screen pixels. Kept from frame to frame: making it takes as long as drawing. */
export class Picture {
  readonly image: ImageData;
  readonly pixels: Uint32Array;
  readonly line: Line;
  readonly shares: Float32Array;
  /** The line of pixels that is made now. */
  readonly row: Uint32Array;

  constructor(
    readonly width: number,
    readonly height: number,
    readonly ratio: number,
  ) {
    this.image = new ImageData(width, height);
    this.pixels = new Uint32Array(this.image.data.buffer);
    this.line = new Line(width);
    this.shares = new Float32Array(width);
    this.row = new Uint32Array(width);
  }
}

/** Repeats the line of pixels from `top` to `bottom`, both in CSS pixels. */
function fill(picture: Picture, top: number, bottom: number): void {
  const first = Math.max(0, Math.round(top * picture.ratio));
  const last = Math.min(picture.height, Math.max(first + 1, Math.round(bottom * picture.ratio)));
  for (let y = first; y < last; ++y) picture.pixels.set(picture.row, y * picture.width);
}

function makeSharesLine(scene: Scene, means: Float32Array, ramp: Uint32Array, { shares, row }: Picture): void {
  const perTick = scene.run.timeline.bins / scene.run.timeline.end;
  pooled(means, scene.from * perTick, scene.to * perTick, shares);
  for (let x = 0; x < row.length; ++x) row[x] = shares[x] > 0 ? ramp[Math.min(255, Math.ceil(255 * shares[x]))] : 0;
}

/** A strip for each kind of work that the row has. */
function paintShares(picture: Picture, top: number, row: Group, scene: Scene): void {
  const strips = shownMeans(scene, row);
  const height = (rowHeight - 2 * padding) / strips.length;
  strips.forEach(([kind, means], n) => {
    makeSharesLine(scene, means, scene.ramps.kinds[kindNumber(kindOfLane(kind).cause)], picture);
    fill(picture, top + padding + n * height, top + padding + (n + 1) * height);
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
  picture.row.fill(0);
  picture.line.paint(picture.row, colouring === "kind" ? ramps.kinds : ramps.tiles);
  fill(picture, top + padding, top + rowHeight - padding);
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

/** The picture is of the canvas' size. */
export function drawRows(canvas: HTMLCanvasElement, picture: Picture, scene: Scene): void {
  const surface = cleared(canvas);
  if (!surface) return;
  const { context, width } = surface;
  picture.pixels.fill(0);
  const drawn = paintRows(picture, scene);
  context.putImageData(picture.image, 0, 0);
  drawSeparators(context, scene, width);
  for (const [row, blocks] of drawn) drawLabels(surface, scene, scene.top + row * rowHeight, blocks);
  drawMarks(surface, scene);
  outlineChosen(surface, scene);
}
