// SPDX-License-Identifier: BSD-3-Clause
// The whole time in a few pixels, with the part that is shown.
import type { Run } from "../data/run.ts";
import { pooled } from "../data/shares.ts";
import { element } from "../ui/html.ts";
import { css, kindOfLane } from "../ui/palette.ts";
import type { Theme } from "../ui/theme.ts";
import { type Surface, cleared, setSize } from "./surface.ts";
import type { TimeWindow } from "./window.ts";

const height = 40;
const gripWidth = 5;

type Move = (seconds: number) => void;

export class Minimap {
  readonly canvas = element("canvas", { class: "minimap", role: "img", "aria-label": "Overview of the whole time: mean shares of all lanes" });

  private readonly picture = element("canvas");

  constructor(
    private readonly run: Run,
    private readonly window: TimeWindow,
  ) {
    this.canvas.addEventListener("pointerdown", (event) => this.drag(event));
  }

  private secondsAt(event: PointerEvent): number {
    return (event.offsetX / this.canvas.clientWidth) * this.window.end;
  }

  /** Near an end of the part that is shown that end is moved, else the whole part. */
  private moveFor(seconds: number): Move {
    const { window } = this;
    const { from, to } = window;
    const grip = (gripWidth / this.canvas.clientWidth) * window.end;
    if (Math.abs(seconds - to) < grip) return (now) => window.show(from, now);
    if (Math.abs(seconds - from) < grip) return (now) => window.show(now, to);
    const offset = seconds > from && seconds < to ? seconds - from : window.length / 2;
    return (now) => window.show(now - offset, now - offset + window.length);
  }

  private drag(down: PointerEvent): void {
    this.canvas.setPointerCapture(down.pointerId);
    const move = this.moveFor(this.secondsAt(down));
    const follow = (event: PointerEvent): void => move(this.secondsAt(event));
    move(this.secondsAt(down));
    this.canvas.addEventListener("pointermove", follow);
    this.canvas.addEventListener("pointerup", () => this.canvas.removeEventListener("pointermove", follow), { once: true });
  }

  resize(width: number): void {
    setSize(this.canvas, width, height);
  }

  draw(theme: Theme): void {
    const surface = cleared(this.canvas);
    if (!surface) return;
    if (this.picture.width !== this.canvas.width) this.drawAll();
    surface.context.drawImage(this.picture, 0, 0, surface.width, surface.height);
    this.drawWindow(surface, theme);
  }

  /** Once for each size: it does not change with the window. */
  private drawAll(): void {
    setSize(this.picture, this.canvas.width / devicePixelRatio, height);
    const surface = cleared(this.picture);
    if (!surface) return;
    const means = [...this.run.meansOf(0, this.run.lanes.count)];
    const strip = height / means.length;
    means.forEach(([kind, shares], n) => {
      surface.context.fillStyle = css(kindOfLane(this.run.kindName(kind)).colour);
      this.drawStrip(surface, shares, n * strip, strip - 1);
    });
  }

  /** Columns whose height is the share. */
  private drawStrip({ context, width }: Surface, means: Float32Array, top: number, high: number): void {
    const perSecond = this.run.timeline.bins / this.run.seconds;
    const shares = pooled(means, 0, this.window.end * perSecond, new Float32Array(Math.floor(width)));
    shares.forEach((share, x) => context.fillRect(x, top + high * (1 - share), 1, high * share));
  }

  private drawWindow({ context, width }: Surface, theme: Theme): void {
    const x = (seconds: number): number => (seconds / this.window.end) * width;
    const [left, right] = [x(this.window.from), x(this.window.to)];
    context.fillStyle = css(theme.background);
    context.globalAlpha = 0.65;
    context.fillRect(0, 0, left, height);
    context.fillRect(right, 0, width - right, height);
    context.globalAlpha = 1;
    context.strokeStyle = theme.text;
    context.lineWidth = 1.5;
    context.strokeRect(left + 0.75, 0.75, Math.max(2, right - left - 1.5), height - 1.5);
  }
}
