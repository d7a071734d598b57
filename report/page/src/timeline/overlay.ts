// SPDX-License-Identifier: BSD-3-Clause
// What is drawn above the boxes of operations: names, bounds, the chosen one.
import type { Operations } from "../data/blocks.ts";
import { inkOn } from "../ui/palette.ts";
import { colourFunction, colourOf } from "./colours.ts";
import { isLane } from "./groups.ts";
import { type Scene, rowHeight } from "./scene.ts";
import type { Surface } from "./surface.ts";
import { tileText } from "./tiles.ts";

const narrowestLabel = 34;
/** A guess that is never too small: measuring each text takes longer than drawing it. */
const letterWidth = 6.4;

function drawLabel(context: CanvasRenderingContext2D, text: string, left: number, right: number, top: number): void {
  if (text.length * letterWidth + 6 <= right - left) context.fillText(text, left + 3, top + rowHeight / 2 + 4);
}

export function drawLabels({ context, width }: Surface, scene: Scene, top: number, blocks: Operations[]): void {
  const { from, to, run, hidden, colouring } = scene;
  const scale = width / (to - from);
  for (const operations of blocks) {
    const colour = colourFunction(colouring, operations, run.timeline.causes, hidden);
    const { start, end, i, j, k } = operations;
    for (let n = 0; n < start.length && start[n] < to; ++n) {
      if (end[n] < from || (end[n] - start[n]) * scale < narrowestLabel || colour(n) < 0) continue;
      context.fillStyle = inkOn(colourOf(colouring, colour(n)));
      drawLabel(context, tileText(i[n], j[n], k[n]), Math.max(0, (start[n] - from) * scale), Math.min(width, (end[n] - from) * scale), top);
    }
  }
}

export interface ShownMark {
  name: string;
  seconds: number;
}

/** The bounds, and where the run ends. */
export function marksOf({ timeline }: Scene["run"]): ShownMark[] {
  return [...timeline.marks, { name: "end", seconds: timeline.end * timeline.tick_s }];
}

export function drawMarks({ context, width, height }: Surface, scene: Scene): void {
  const { from, to, run, theme } = scene;
  context.strokeStyle = theme.text;
  context.lineWidth = 1;
  context.setLineDash([4, 3]);
  context.beginPath();
  for (const { seconds } of marksOf(run)) {
    const x = Math.round(((seconds / run.timeline.tick_s - from) / (to - from)) * width) - 0.5;
    context.moveTo(x, 0);
    context.lineTo(x, height);
  }
  context.stroke();
  context.setLineDash([]);
}

export function outlineChosen({ context, width }: Surface, { chosen, rows, top, from, to, theme }: Scene): void {
  const row = chosen ? rows.findIndex((one) => isLane(one) && one.begin === chosen.lane) : -1;
  if (!chosen || row < 0) return;
  const scale = width / (to - from);
  const left = (chosen.operations.start[chosen.index] - from) * scale;
  const right = (chosen.operations.end[chosen.index] - from) * scale;
  context.strokeStyle = theme.text;
  context.lineWidth = 2;
  context.strokeRect(left, top + row * rowHeight + 1, Math.max(3, right - left), rowHeight - 3);
}
