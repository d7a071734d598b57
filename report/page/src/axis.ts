// SPDX-License-Identifier: BSD-3-Clause
// The times above a timeline, and the names of what is marked.
import type { Theme } from "./draw.ts";
import type { Run } from "./run.ts";
import { ticksBetween, timeLabel } from "./units.ts";
import type { TimeWindow } from "./window.ts";

export const axisHeight = 38;

export function drawAxis(canvas: HTMLCanvasElement, run: Run, window: TimeWindow, theme: Theme): void {
  const context = canvas.getContext("2d");
  if (!context) return;
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = theme.text;
  const tick = run.timeline.tick_s;
  const [from, to] = [window.from * tick, window.to * tick];
  const x = (seconds: number): number => ((seconds - from) / (to - from)) * canvas.width;
  const times = ticksBetween(from, to, Math.max(2, Math.floor(canvas.width / 110)));
  const step = times.length > 1 ? times[1] - times[0] : to - from;
  for (const time of times) {
    context.fillRect(Math.round(x(time)), canvas.height - 6, 1, 6);
    context.fillText(timeLabel(time, step, to), x(time) + 3, canvas.height - 8);
  }
  drawNames(context, run, x, canvas.width);
}

/** From right to left, so that names that would meet end where the next begins. */
function drawNames(context: CanvasRenderingContext2D, run: Run, x: (seconds: number) => number, width: number): void {
  let free = width;
  for (const mark of [...run.timeline.marks].sort((one, other) => other.seconds - one.seconds)) {
    const at = x(mark.seconds);
    if (at < 0 || at > width) continue;
    const length = context.measureText(mark.name).width + 8;
    const left = Math.min(at, free - length);
    if (left < 0) continue;
    context.fillText(mark.name, left + 3, 11);
    context.fillRect(Math.round(at), 14, 1, 10);
    free = left;
  }
}
