// SPDX-License-Identifier: BSD-3-Clause
// The timeline of a work: rows on a canvas, their names beside it, the time above, and what is under the pointer.
import type { Found, Run } from "../data/run.ts";
import { element } from "../ui/html.ts";
import { nameWidth } from "../ui/layout.ts";
import { type Theme, onTheme, themeNow } from "../ui/theme.ts";
import { axisHeight, drawAxis } from "./axis.ts";
import { type Colouring, type Ramps, rampsOn } from "./colours.ts";
import { controls } from "./controls.ts";
import { operationDetails, sharesDetails } from "./details.ts";
import { DetailsBar } from "./details-bar.ts";
import { firstAfter } from "./find.ts";
import { listenTo } from "./gestures.ts";
import { type Group, isLane, reveal, setOpen, treeOf, visibleRows } from "./groups.ts";
import { legend } from "./legend.ts";
import { Minimap } from "./minimap.ts";
import { Names } from "./names.ts";
import { Picture, drawRows } from "./paint.ts";
import { type Scene, rowHeight } from "./scene.ts";
import { Searching } from "./searching.ts";
import { setSize } from "./surface.ts";
import { Tooltip } from "./tooltip.ts";
import type { TimeWindow } from "./window.ts";

const help =
  "Arrows move the time and the row. Plus and minus zoom, 0 shows all. Enter folds or unfolds. N and P step through the operations of a lane. Escape closes details. With the mouse: click, then turn the wheel to zoom, drag to move.";

export class TimelineView {
  readonly root: HTMLElement;
  private readonly canvas = element("canvas", { class: "rows", tabindex: "0", role: "application", "aria-roledescription": "timeline" });
  private readonly axis = element("canvas", { class: "axis", "aria-hidden": "true" });
  private readonly filler = element("div", { class: "filler" });
  private readonly scroller = element("div", { class: "scroller", tabindex: "-1" });
  private readonly details = new DetailsBar(() => this.close());
  private readonly names = new Names((row) => this.toggle(row));
  private readonly tooltip = new Tooltip();
  private readonly minimap: Minimap;
  private readonly hidden = new Set<string>();
  private readonly groups: Group[];
  private rows: Group[];
  private picture = new Picture(1, 1, 1);
  private selected = 0;
  private chosen: Found | undefined;
  private colouring: Colouring = "kind";
  private theme: Theme;
  private ramps: Ramps;
  private pointerX: number | undefined;
  private waiting = false;

  constructor(
    private readonly run: Run,
    private readonly window: TimeWindow,
    title: string,
    private readonly mostHeight: number,
  ) {
    this.groups = treeOf(run.lanes, run.columns.nodeOfRank, run.timeline.kinds);
    this.rows = visibleRows(this.groups);
    this.minimap = new Minimap(run, window);
    this.theme = themeNow();
    this.ramps = rampsOn(this.theme.background);
    this.canvas.setAttribute("aria-label", `Timeline of ${title}. ${help}`);
    const stage = element("div", { class: "picture" }, this.canvas, this.tooltip.root);
    this.scroller.append(this.filler, element("div", { class: "stage" }, element("div", { class: "name-space" }, this.names.root), stage));
    this.root = element("div", { class: "timeline" }, ...this.head(), this.minimap.canvas, this.axis, this.scroller, this.details.root, element("p", { class: "help" }, help));
    this.listen();
  }

  private head(): HTMLElement[] {
    const search = new Searching(this.run, { toLanes: (begin, end) => this.goToLanes(begin, end), toOperation: (found) => this.goTo(found) });
    const actions = {
      open: (open: boolean): void => this.openAll(open),
      zoom: (factor: number): void => this.zoomMiddle(factor),
      all: (): void => this.window.all(),
      colour: (colouring: Colouring): void => {
        this.colouring = colouring;
        this.draw();
      },
    };
    return [controls(actions, search.root), legend(this.run, this.hidden, () => this.draw())];
  }

  private listen(): void {
    this.window.onChange(() => this.draw());
    this.run.onLoad(() => this.draw());
    onTheme(() => this.changeTheme());
    this.scroller.addEventListener("scroll", () => this.draw());
    new ResizeObserver(() => this.resize()).observe(this.scroller);
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    listenTo(this.canvas, {
      zoom: (x, factor) => this.window.zoom(this.secondsAt(x), factor),
      drag: (right, down) => this.drag(right, down),
      click: (x, y) => this.click(x, y),
      doubleClick: (_, y) => this.toggle(this.rowAt(y)),
      hover: (x, y) => this.hover(x, y),
      leave: () => this.leave(),
    });
  }

  // ---- drawing ----

  /** At once: print previews do not wait for the next frame. */
  private changeTheme(): void {
    this.theme = themeNow();
    this.ramps = rampsOn(this.theme.background);
    this.drawNow();
  }

  resize(): void {
    const height = Math.min(this.mostHeight, this.rows.length * rowHeight);
    this.scroller.style.height = `${String(height)}px`;
    this.filler.style.height = `${String(this.rows.length * rowHeight)}px`;
    const width = Math.max(50, this.scroller.clientWidth - nameWidth);
    setSize(this.canvas, width, height);
    this.picture = new Picture(this.canvas.width, this.canvas.height, devicePixelRatio);
    setSize(this.axis, width, axisHeight);
    this.minimap.resize(width);
    this.drawNow();
  }

  /** Once for all that changed until the next frame. */
  private draw(): void {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => this.drawNow());
  }

  private drawNow(): void {
    this.waiting = false;
    const scene = this.scene();
    drawRows(this.canvas, this.picture, scene);
    drawAxis(this.axis, this.run, this.window, this.theme);
    this.minimap.draw(this.theme);
    this.names.show(scene.rows, this.firstRow, this.selected, scene.top);
  }

  private get firstRow(): number {
    return Math.floor(this.scroller.scrollTop / rowHeight);
  }

  private scene(): Scene {
    const { run, hidden, colouring, chosen, theme, ramps, firstRow } = this;
    const tick = run.timeline.tick_s;
    const top = firstRow * rowHeight - this.scroller.scrollTop;
    const rows = this.rows.slice(firstRow, firstRow + Math.ceil((this.canvas.clientHeight - top) / rowHeight));
    return { run, from: this.window.from / tick, to: this.window.to / tick, rows, top, hidden, colouring, chosen, theme, ramps };
  }

  // ---- rows ----

  private openAll(open: boolean): void {
    setOpen(this.groups, open);
    this.refold();
  }

  private toggle(row: number): void {
    const group = this.rows[row];
    if (!group || isLane(group)) return;
    group.open = !group.open;
    this.refold();
  }

  private refold(): void {
    this.rows = visibleRows(this.groups);
    this.selected = Math.min(this.selected, this.rows.length - 1);
    this.resize();
  }

  /** Selects a row and scrolls to it. */
  private select(row: number): void {
    this.selected = Math.min(Math.max(0, row), this.rows.length - 1);
    const top = this.selected * rowHeight;
    const lowest = top + rowHeight - this.scroller.clientHeight;
    this.scroller.scrollTop = Math.max(lowest, Math.min(top, this.scroller.scrollTop));
    this.draw();
  }

  /** To the row of these lanes, or where they are a part of one, to that of the first. */
  private goToLanes(begin: number, end: number): void {
    const all = reveal(this.groups, begin, end);
    const row = all && all.end - all.begin > end - begin ? reveal(this.groups, begin, begin + 1) : all;
    this.refold();
    if (row) this.moveTo(this.rows.indexOf(row));
  }

  private moveTo(row: number): void {
    this.select(row);
    const middle = (this.window.from + this.window.to) / 2 / this.run.timeline.tick_s;
    this.details.show(sharesDetails(this.run, this.rows[this.selected], middle));
  }

  // ---- pointer ----

  private secondsAt(x: number): number {
    return this.window.from + (x / this.canvas.clientWidth) * this.window.length;
  }

  private rowAt(y: number): number {
    return Math.floor((y + this.scroller.scrollTop) / rowHeight);
  }

  /** The operation at a place of the canvas, as far as it has been read. */
  private operationAt(x: number, y: number): Found | undefined {
    const row = this.rows[this.rowAt(y)];
    const tick = this.secondsAt(x) / this.run.timeline.tick_s;
    const found = row && isLane(row) ? this.run.operationAt(row.begin, tick) : undefined;
    const slack = (2 * this.window.length) / this.run.timeline.tick_s / this.canvas.clientWidth;
    return found && found.operations.end[found.index] + slack >= tick ? found : undefined;
  }

  private hover(x: number, y: number): void {
    this.pointerX = x;
    const row = this.rows[this.rowAt(y)];
    if (!row) return this.tooltip.hide();
    const found = this.operationAt(x, y);
    const tick = this.secondsAt(x) / this.run.timeline.tick_s;
    this.tooltip.show(found ? operationDetails(this.run, found) : sharesDetails(this.run, row, tick), x, y);
  }

  private leave(): void {
    this.pointerX = undefined;
    this.tooltip.hide();
  }

  private click(x: number, y: number): void {
    this.select(this.rowAt(y));
    const found = this.operationAt(x, y);
    if (found) this.choose(found);
  }

  private drag(right: number, down: number): void {
    this.tooltip.hide();
    this.scroller.scrollTop -= down;
    this.window.pan(-right / this.canvas.clientWidth);
  }

  /** Around the pointer, where it is on the canvas. */
  private zoomMiddle(factor: number): void {
    this.window.zoom(this.secondsAt(this.pointerX ?? this.canvas.clientWidth / 2), factor);
  }

  // ---- keys ----

  private readonly keys: Record<string, () => void> = {
    ArrowLeft: () => this.window.pan(-0.1),
    ArrowRight: () => this.window.pan(0.1),
    ArrowUp: () => this.moveTo(this.selected - 1),
    ArrowDown: () => this.moveTo(this.selected + 1),
    "+": () => this.zoomMiddle(0.5),
    "=": () => this.zoomMiddle(0.5),
    "-": () => this.zoomMiddle(2),
    "0": () => this.window.all(),
    Enter: () => this.toggle(this.selected),
    n: () => void this.step(1),
    p: () => void this.step(-1),
    Escape: () => this.close(),
  };

  private key(event: KeyboardEvent): void {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : this.keys[event.key];
    if (!act) return;
    act();
    event.preventDefault();
  }

  // ---- one operation ----

  private async step(direction: 1 | -1): Promise<void> {
    const row = this.rows[this.selected];
    if (!row || !isLane(row)) return;
    const same = this.chosen?.lane === row.begin ? this.chosen : undefined;
    const found = same ? await this.run.neighbour(same, direction) : await firstAfter(this.run, row.begin, this.window.from / this.run.timeline.tick_s);
    if (found) this.goTo(found);
  }

  /** Brings an operation into view, long enough to be seen. */
  private goTo(found: Found): void {
    const { tick_s: tick } = this.run.timeline;
    const start = found.operations.start[found.index] * tick;
    const end = found.operations.end[found.index] * tick;
    const length = Math.max(20 * (end - start), 20 * tick);
    const visible = start >= this.window.from && end <= this.window.to;
    if (!visible || this.window.length > 5 * length) this.window.show((start + end - length) / 2, (start + end + length) / 2);
    const row = reveal(this.groups, found.lane, found.lane + 1);
    this.refold();
    if (row) this.select(this.rows.indexOf(row));
    this.choose(found);
  }

  private choose(found: Found): void {
    this.chosen = found;
    this.details.show(operationDetails(this.run, found));
    this.draw();
  }

  private close(): void {
    this.chosen = undefined;
    this.details.clear();
    this.tooltip.hide();
    this.draw();
  }
}
