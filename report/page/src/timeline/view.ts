// SPDX-License-Identifier: BSD-3-Clause
// The timeline of a work: rows on a canvas, their names beside it, the time above, and what is under the pointer.
import { axisHeight, drawAxis } from "./axis.ts";
import { operationText, sharesText } from "./details.ts";
import { type Scene, type Theme, drawRows, isLane, rowHeight } from "./draw.ts";
import { type Group, reveal, visibleRows } from "./groups.ts";
import { button, element } from "./html.ts";
import { legend } from "./legend.ts";
import { Minimap } from "./minimap.ts";
import type { Found, Run } from "./run.ts";
import { type Wanted, namesTile, parsedSearch } from "./search.ts";
import type { TimeWindow } from "./window.ts";

const mostHeight = 560;
const nameWidth = 170;

export function themeOf(node: Element): Theme {
  const style = getComputedStyle(node);
  const value = (name: string): string => style.getPropertyValue(name).trim();
  return { background: value("--panel"), line: value("--line"), text: value("--text") };
}

export class TimelineView {
  readonly root: HTMLElement;
  private readonly rowsCanvas = element("canvas", { class: "rows", tabindex: "0", role: "img" });
  private readonly axis = element("canvas", { class: "axis", "aria-hidden": "true" });
  private readonly names = element("div", { class: "names" });
  private readonly filler = element("div", { class: "filler" });
  private readonly scroller = element("div", { class: "scroller", tabindex: "-1" });
  private readonly details = element("p", { class: "details", "aria-live": "polite" });
  private readonly minimap: Minimap;
  private readonly hidden = new Set<string>();
  private rows: Group[];
  private selected = 0;
  private chosen: Found | undefined;
  private waiting = false;

  constructor(
    private readonly run: Run,
    private readonly window: TimeWindow,
    title: string,
  ) {
    this.rows = visibleRows(run.groups);
    this.rowsCanvas.setAttribute("aria-label", `Timeline of ${title}. Arrows move the time and the row, plus and minus zoom, 0 shows all, Enter folds or unfolds a row, N and P step through operations.`);
    this.minimap = new Minimap(run, window);
    const stage = element("div", { class: "stage" }, this.names, this.rowsCanvas);
    this.scroller.append(this.filler, stage);
    this.root = element("div", { class: "timeline" }, this.controls(), this.minimap.canvas, this.axis, this.scroller, this.details);
    this.listen();
  }

  private controls(): HTMLElement {
    const search = element("input", { type: "search", placeholder: "rank 3, C(2,5)", "aria-label": "Find a rank, device or tile" });
    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") void this.find(search.value);
    });
    return element(
      "div",
      { class: "controls" },
      button("Fold", "Fold all nodes", () => this.setOpen(false)),
      button("Unfold", "Unfold all nodes to ranks", () => this.setOpen(true)),
      button("Zoom in", "Zoom in (+)", () => this.zoomMiddle(0.5)),
      button("Zoom out", "Zoom out (-)", () => this.zoomMiddle(2)),
      button("All", "Show the whole time (0)", () => this.window.all()),
      search,
      legend(this.run, this.hidden, () => this.draw()),
    );
  }

  private listen(): void {
    this.window.onChange(() => this.draw());
    this.run.onLoad(() => this.draw());
    this.scroller.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.resize()).observe(this.scroller);
    this.rowsCanvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.rowsCanvas.addEventListener("pointerdown", (event) => this.drag(event));
    this.rowsCanvas.addEventListener("pointermove", (event) => this.hover(event));
    this.rowsCanvas.addEventListener("dblclick", (event) => this.toggle(this.rowAt(event.offsetY)));
    this.rowsCanvas.addEventListener("keydown", (event) => this.key(event));
  }

  private zoomMiddle(factor: number): void {
    this.window.zoom((this.window.from + this.window.to) / 2, factor);
  }

  private setOpen(open: boolean): void {
    for (const group of this.run.groups) group.open = open && group.children.length > 0;
    this.refold();
  }

  private toggle(row: number): void {
    const group = this.rows[row];
    if (!group || isLane(group)) return;
    group.open = !group.open;
    this.refold();
  }

  private refold(): void {
    this.rows = visibleRows(this.run.groups);
    this.selected = Math.min(this.selected, this.rows.length - 1);
    this.resize();
  }

  resize(): void {
    const height = Math.min(mostHeight, this.rows.length * rowHeight);
    this.scroller.style.height = `${String(height)}px`;
    this.filler.style.height = `${String(this.rows.length * rowHeight)}px`;
    const width = Math.max(50, this.scroller.clientWidth - nameWidth);
    for (const [canvas, canvasHeight] of [[this.rowsCanvas, height], [this.axis, axisHeight]] as const) {
      canvas.width = width;
      canvas.height = canvasHeight;
    }
    this.minimap.resize(width);
    this.draw();
  }

  /** Once for all that changed until the next frame. */
  draw(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.drawNow();
    });
  }

  private get firstRow(): number {
    return Math.floor(this.scroller.scrollTop / rowHeight);
  }

  drawNow(): void {
    const theme = themeOf(this.root);
    const scene: Scene = { run: this.run, window: this.window, rows: this.rows, hidden: this.hidden, theme };
    drawRows(this.rowsCanvas, scene, this.firstRow);
    drawAxis(this.axis, this.run, this.window, theme);
    this.minimap.draw(theme);
    this.showNames();
  }

  private showNames(): void {
    const rows = this.rows.slice(this.firstRow, this.firstRow + Math.ceil(this.rowsCanvas.height / rowHeight));
    this.names.replaceChildren(...rows.map((row, n) => this.nameOf(row, this.firstRow + n)));
  }

  private nameOf(row: Group, number: number): HTMLElement {
    const attributes = { class: number === this.selected ? "name selected" : "name", style: `padding-left:${String(6 + 12 * row.depth)}px` };
    if (isLane(row)) return element("div", attributes, row.label);
    const made = element("button", { ...attributes, type: "button", "aria-expanded": String(row.open) }, `${row.open ? "▾" : "▸"} ${row.label}`);
    made.addEventListener("click", () => this.toggle(number));
    return made;
  }

  // ---- pointer and keys ----

  private tickAt(x: number): number {
    return this.window.from + (x / this.rowsCanvas.clientWidth) * (this.window.to - this.window.from);
  }

  private rowAt(y: number): number {
    return this.firstRow + Math.floor(y / rowHeight);
  }

  /** Of the row, where it is one lane, the operation under the pointer. */
  private describe(row: Group | undefined, tick: number): void {
    if (!row) return;
    const found = isLane(row) ? this.run.operationAt(row.begin, tick) : undefined;
    const inside = found && found.operations.end[found.index] >= tick;
    this.details.textContent = inside ? operationText(this.run, found) : sharesText(this.run, row, tick);
  }

  private hover(event: PointerEvent): void {
    if (event.buttons === 0) this.describe(this.rows[this.rowAt(event.offsetY)], this.tickAt(event.offsetX));
  }

  /** With Control or Meta, and on trackpads' pinches, it zooms; so does a wheel that moves nothing else. */
  private wheel(event: WheelEvent): void {
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.window.pan((event.deltaX || event.deltaY) / 1000);
    } else {
      this.window.zoom(this.tickAt(event.offsetX), Math.exp(event.deltaY / 400));
    }
    event.preventDefault();
  }

  private drag(down: PointerEvent): void {
    this.rowsCanvas.setPointerCapture(down.pointerId);
    this.selected = this.rowAt(down.offsetY);
    const [from, to] = [this.window.from, this.window.to];
    const move = (event: PointerEvent): void => {
      const ticks = ((down.offsetX - event.offsetX) / this.rowsCanvas.clientWidth) * (to - from);
      this.window.show(from + ticks, to + ticks);
    };
    this.rowsCanvas.addEventListener("pointermove", move);
    this.rowsCanvas.addEventListener("pointerup", () => this.rowsCanvas.removeEventListener("pointermove", move), { once: true });
    this.draw();
  }

  private readonly keys: Record<string, () => void> = {
    ArrowLeft: () => this.window.pan(-0.1),
    ArrowRight: () => this.window.pan(0.1),
    ArrowUp: () => this.select(this.selected - 1),
    ArrowDown: () => this.select(this.selected + 1),
    "+": () => this.zoomMiddle(0.5),
    "=": () => this.zoomMiddle(0.5),
    "-": () => this.zoomMiddle(2),
    "0": () => this.window.all(),
    Enter: () => this.toggle(this.selected),
    n: () => this.step(1),
    p: () => this.step(-1),
    Escape: () => (this.details.textContent = ""),
  };

  private key(event: KeyboardEvent): void {
    const act = event.ctrlKey || event.metaKey ? undefined : this.keys[event.key];
    if (!act) return;
    act();
    event.preventDefault();
  }

  private select(row: number): void {
    this.selected = Math.min(Math.max(0, row), this.rows.length - 1);
    const top = this.selected * rowHeight;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    const below = top + rowHeight - this.scroller.clientHeight;
    if (below > this.scroller.scrollTop) this.scroller.scrollTop = below;
    this.describe(this.rows[this.selected], (this.window.from + this.window.to) / 2);
    this.draw();
  }

  /** To the next or the previous operation of the selected lane. */
  private step(direction: number): void {
    const row = this.rows[this.selected];
    if (!row || !isLane(row)) return;
    const same = this.chosen?.lane === row.begin ? this.chosen : undefined;
    const tick = same ? (direction > 0 ? same.operations.end[same.index] + 1 : same.operations.start[same.index] - 1) : this.window.from;
    const found = direction > 0 && same && same.index + 1 < same.operations.start.length ? { ...same, index: same.index + 1 } : this.run.operationAt(row.begin, tick);
    if (found) this.show(found);
  }

  /** Brings an operation to the middle, long enough to be seen. */
  show(found: Found): void {
    this.chosen = found;
    const { start, end } = found.operations;
    const middle = (start[found.index] + end[found.index]) / 2;
    const length = Math.max(20 * (end[found.index] - start[found.index]), 1);
    const now = this.window.to - this.window.from;
    const shown = now > 50 * length || middle < this.window.from || middle > this.window.to ? length : now;
    this.window.show(middle - shown / 2, middle + shown / 2);
    const row = reveal(this.run.groups, found.lane);
    this.refold();
    this.select(this.rows.indexOf(row));
    this.details.textContent = operationText(this.run, found);
  }

  // ---- search ----

  private lanesOf(wanted: Wanted): number[] {
    const { rank, device, count } = this.run.lanes;
    return [...Array(count).keys()].filter(
      (lane) => (wanted.rank === undefined || rank[lane] === wanted.rank) && (wanted.device === undefined || device[lane] === wanted.device),
    );
  }

  async find(text: string): Promise<void> {
    const wanted = parsedSearch(text);
    if (!wanted) {
      this.details.textContent = `"${text}" names no rank, device or tile: try "rank 3", "rank 3 device 1", "C(2,5)" or "i=2 j=5"`;
      return;
    }
    const lanes = this.lanesOf(wanted);
    if (lanes.length > 0 && !namesTile(wanted)) return this.showLane(lanes[0]);
    this.details.textContent = "Searching ...";
    for (const lane of lanes) {
      const found = await this.run.search(
        lane,
        ({ i, j, k }, n) => (wanted.i === undefined || i[n] === wanted.i) && (wanted.j === undefined || j[n] === wanted.j) && (wanted.k === undefined || k[n] === wanted.k),
      );
      if (found) return this.show(found);
    }
    this.details.textContent = `Nothing is found for "${text}"`;
  }

  private showLane(lane: number): void {
    const row = reveal(this.run.groups, lane);
    this.refold();
    this.select(this.rows.indexOf(row));
  }
}
