// SPDX-License-Identifier: BSD-3-Clause
// One row of pixels. Operations shorter than a pixel add up to its intensity, so that nothing gets lost between pixels.
import type { Operations } from "../data/blocks.ts";

export class Line {
  /** Share of each pixel that is covered. */
  readonly cover: Float32Array;
  /** Number of the colour that covers most of it. */
  readonly colour: Uint8Array;
  private readonly largest: Float32Array;

  constructor(readonly width: number) {
    this.cover = new Float32Array(width);
    this.colour = new Uint8Array(width);
    this.largest = new Float32Array(width);
  }

  clear(): void {
    this.cover.fill(0);
    this.largest.fill(0);
  }

  /** From `left` to `right`, in pixels with fractions. */
  add(left: number, right: number, colour: number): void {
    const first = Math.max(0, Math.floor(left));
    const last = Math.min(this.width - 1, Math.floor(right));
    for (let x = first; x <= last; ++x) this.addTo(x, Math.min(right, x + 1) - Math.max(left, x), colour);
  }

  private addTo(x: number, share: number, colour: number): void {
    this.cover[x] += share;
    if (share < this.largest[x]) return;
    this.largest[x] = share;
    this.colour[x] = colour;
  }

  /** Pixels of the screen; each colour has 256 intensities. */
  paint(pixels: Uint32Array, ramps: Uint32Array[]): void {
    for (let x = 0; x < this.width; ++x) {
      const { cover, colour } = this;
      if (cover[x] > 0) pixels[x] = ramps[colour[x]][Math.min(255, Math.ceil(255 * cover[x]))];
    }
  }
}

/** Wide boxes end a pixel early, so that one can count them. */
const widestWithoutGap = 4;

/** `colourOf` says -1 of operations that are not to be seen. */
export function addOperations(line: Line, operations: Operations, from: number, to: number, colourOf: (index: number) => number): void {
  const scale = line.width / (to - from);
  const { start, end } = operations;
  for (let n = 0; n < start.length && start[n] < to; ++n) {
    const colour = end[n] > from ? colourOf(n) : -1;
    if (colour < 0) continue;
    const left = (start[n] - from) * scale;
    const right = (end[n] - from) * scale;
    line.add(left, right - left > widestWithoutGap ? right - 1 : right, colour);
  }
}
