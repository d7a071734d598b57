// SPDX-License-Identifier: BSD-3-Clause
// The whole time in a few pixels, with the part that is shown.
import { type Theme, pooled } from "./draw.ts";
import type { Group } from "./groups.ts";
import { element } from "./html.ts";
import { causeOfLane, css, kindOf } from "./palette.ts";
import type { Run } from "./run.ts";
import type { TimeWindow } from "./window.ts";

const height = 36;

export class Minimap {
  readonly canvas = element("canvas", { class: "minimap", role: "img", "aria-label": "The whole time; click to move the part that is shown" });

  private readonly all: Group;

  constructor(
    private readonly run: Run,
    private readonly window: TimeWindow,
  ) {
    this.all = { label: "all", depth: 0, begin: 0, end: run.lanes.count, children: [], open: false };
    this.canvas.addEventListener("pointerdown", (event) => this.centre(event));
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons > 0) this.centre(event);
    });
  }

  private centre(event: PointerEvent): void {
    const middle = (event.offsetX / this.canvas.clientWidth) * this.window.end;
    const half = (this.window.to - this.window.from) / 2;
    this.window.show(middle - half, middle + half);
  }

  resize(width: number): void {
    this.canvas.width = width;
    this.canvas.height = height;
  }

  /** A curve for each kind of work: the mean over all lanes. */
  draw(theme: Theme): void {
    const context = this.canvas.getContext("2d");
    const { groups, timeline } = this.run;
    if (!context || groups.length === 0) return;
    context.clearRect(0, 0, this.canvas.width, height);
    for (const [kind, means] of this.run.meansOf(this.all)) this.curve(context, css(kindOf(causeOfLane[timeline.kinds[kind]]).colour), means);
    context.strokeStyle = theme.text;
    context.lineWidth = 2;
    const x = (tick: number): number => (tick / this.window.end) * this.canvas.width;
    context.strokeRect(x(this.window.from) + 1, 1, Math.max(2, x(this.window.to) - x(this.window.from) - 2), height - 2);
  }

  private curve(context: CanvasRenderingContext2D, colour: string, means: Float32Array): void {
    context.strokeStyle = colour;
    context.lineWidth = 1;
    context.beginPath();
    pooled(means, 0, means.length, this.canvas.width).forEach((share, x) => context.lineTo(x, (height - 3) * (1 - share) + 1));
    context.stroke();
  }
}
