// SPDX-License-Identifier: BSD-3-Clause
// Pointers and wheels on a canvas, as moves of the time. Places are CSS pixels of the canvas.

export interface Gestures {
  /** Around a place; a factor below 1 shows less. */
  zoom: (x: number, factor: number) => void;
  /** By pixels. */
  drag: (right: number, down: number) => void;
  click: (x: number, y: number) => void;
  doubleClick: (x: number, y: number) => void;
  hover: (x: number, y: number) => void;
  leave: () => void;
}

/** A pointer that moves less has clicked. */
const leastDrag = 4;
const wheelPerFactor = 400;

/** Without the focus, a wheel scrolls the page: nobody wants to be caught by a picture. Pinches come with Control. */
function onWheel(canvas: HTMLCanvasElement, event: WheelEvent, gestures: Gestures): void {
  const focused = document.activeElement === canvas;
  if (!focused && !event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) gestures.drag(-(event.deltaX || event.deltaY), 0);
  else gestures.zoom(event.offsetX, Math.exp(event.deltaY / wheelPerFactor));
}

class Pointers {
  private readonly down = new Map<number, PointerEvent>();
  private moved = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly gestures: Gestures,
  ) {}

  press(event: PointerEvent): void {
    this.canvas.setPointerCapture(event.pointerId);
    this.down.set(event.pointerId, event);
    if (this.down.size === 1) this.moved = 0;
  }

  move(event: PointerEvent): void {
    const before = this.down.get(event.pointerId);
    if (!before) return this.gestures.hover(event.offsetX, event.offsetY);
    const other = [...this.down.values()].find(({ pointerId }) => pointerId !== event.pointerId);
    if (other) this.pinch(before, event, other);
    else this.dragBy(event.offsetX - before.offsetX, event.offsetY - before.offsetY);
    this.down.set(event.pointerId, event);
  }

  private dragBy(right: number, down: number): void {
    this.moved += Math.abs(right) + Math.abs(down);
    if (this.moved >= leastDrag) this.gestures.drag(right, down);
  }

  private pinch(before: PointerEvent, now: PointerEvent, other: PointerEvent): void {
    this.moved = leastDrag;
    const distance = (event: PointerEvent): number => Math.max(10, Math.abs(event.offsetX - other.offsetX));
    this.gestures.zoom((now.offsetX + other.offsetX) / 2, distance(before) / distance(now));
  }

  release(event: PointerEvent): void {
    if (this.down.delete(event.pointerId) && this.moved < leastDrag) this.gestures.click(event.offsetX, event.offsetY);
  }

  cancel(event: PointerEvent): void {
    this.down.delete(event.pointerId);
  }
}

export function listenTo(canvas: HTMLCanvasElement, gestures: Gestures): void {
  const pointers = new Pointers(canvas, gestures);
  canvas.addEventListener("wheel", (event) => onWheel(canvas, event, gestures), { passive: false });
  canvas.addEventListener("pointerdown", (event) => pointers.press(event));
  canvas.addEventListener("pointermove", (event) => pointers.move(event));
  canvas.addEventListener("pointerup", (event) => pointers.release(event));
  canvas.addEventListener("pointercancel", (event) => pointers.cancel(event));
  canvas.addEventListener("pointerleave", () => gestures.leave());
  canvas.addEventListener("dblclick", (event) => gestures.doubleClick(event.offsetX, event.offsetY));
}
