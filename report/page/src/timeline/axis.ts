// SPDX-License-Identifier: BSD-3-Clause
// The times above a timeline, and the names of what is marked.
import type { Run } from "../data/run.ts";
import type { Theme } from "../ui/theme.ts";
import { ticksBetween, timeLabel } from "../ui/units.ts";
import { type ShownMark, marksOf } from "./overlay.ts";
import { type Surface, cleared } from "./surface.ts";
import type { TimeWindow } from "./window.ts";

export const axisHeight = 36;

const spaceOfTime = 110;

function drawTimes({ context, width, height }: Surface, { from, to }: TimeWindow, x: (seconds: number) => number): void {
  const times = ticksBetween(from, to, Math.max(2, Math.floor(width / spaceOfTime)));
  const step = times.length > 1 ? times[1] - times[0] : to - from;
  for (const time of times) {
    context.fillRect(Math.round(x(time)), height - 6, 1, 6);
    const label = timeLabel(time, step, to);
    if (x(time) + 3 + context.measureText(label).width <= width) context.fillText(label, x(time) + 3, height - 3);
  }
}

/** From right to left, so that names that would meet end where the next begins. */
function drawNames({ context, width }: Surface, marks: ShownMark[], x: (seconds: number) => number): void {
  let free = width;
  for (const mark of [...marks].sort((one, other) => other.seconds - one.seconds)) {
    const at = x(mark.seconds);
    const length = context.measureText(mark.name).width + 8;
    const left = Math.max(0, Math.min(at - length / 2, free - length));
    if (at < 0 || at > width || left + length > free) continue;
    context.fillText(mark.name, left + 4, 11);
    context.fillRect(Math.min(width - 1, Math.round(at) - 1), 14, 1, 6);
    free = left;
  }
}

export function drawAxis(canvas: HTMLCanvasElement, run: Run, window: TimeWindow, theme: Theme): void {
  const surface = cleared(canvas);
  if (!surface) return;
  surface.context.fillStyle = theme.quiet;
  const x = (seconds: number): number => ((seconds - window.from) / window.length) * surface.width;
  drawTimes(surface, window, x);
  surface.context.fillStyle = theme.text;
  drawNames(surface, marksOf(run), x);
}
