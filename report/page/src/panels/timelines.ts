// SPDX-License-Identifier: BSD-3-Clause
// Timelines of all works, one above the other, in one time scale.
import type { Work } from "../data/facts.ts";
import type { Run } from "../data/run.ts";
import { meanShare } from "../data/shares.ts";
import { TimelineView } from "../timeline/view.ts";
import type { TimeWindow } from "../timeline/window.ts";
import { element, foldable, panel } from "../ui/html.ts";
import type { Cell } from "../ui/csv.ts";
import { share, table } from "../ui/table.ts";
import { grouped } from "../ui/units.ts";
import { ofWork, workName } from "./works.ts";

/** CSS pixels: two timelines fit on one screen. */
const heightOfOne = 540;
const heightOfSeveral = 324;

export interface Shown {
  work: Work;
  run: Run;
}

/** What a picture cannot say to those who do not see it: the mean share of each lane. */
function laneTable({ run }: Shown): HTMLElement {
  const { lanes, columns } = run;
  const operations = (lane: number): number => {
    const [begin, end] = run.blocksOf(lane);
    return columns.blocks.operations.subarray(begin, end).reduce((sum, count) => sum + count, 0);
  };
  const row = (lane: number): Cell[] => {
    const device = lanes.device[lane] < 0 ? "host" : `device ${String(lanes.device[lane])}`;
    const number = (value: number): Cell => ({ shown: grouped(value), value });
    return [`rank ${String(lanes.rank[lane])}`, device, run.kindName(lanes.kind[lane]), number(lanes.copy[lane] + 1), number(operations(lane)), share(meanShare(run.shares, lane))];
  };
  return table("Lanes", ["rank", "of", "kind", "copy", "operations", "busy"], Array.from({ length: lanes.count }, (_, lane) => row(lane)));
}

/** Made when it is opened: it may have tens of thousands of rows. */
function foldedTable(shown: Shown): HTMLElement {
  const fold = foldable("The same as a table");
  fold.addEventListener("toggle", () => {
    if (fold.childElementCount === 1) fold.append(laneTable(shown));
  });
  return fold;
}

function oneTimeline(works: Work[], shown: Shown, window: TimeWindow): HTMLElement {
  const view = new TimelineView(shown.run, window, shown.work.problem, works.length > 1 ? heightOfSeveral : heightOfOne);
  const count = `${grouped(shown.run.timeline.operations)} operations in ${grouped(shown.run.lanes.count)} lanes`;
  const heading = works.length > 1 ? [element("h3", {}, workName(works, shown.work))] : [];
  return ofWork(element("div", { class: "one-work" }, ...heading, element("p", { class: "about" }, count), view.root, foldedTable(shown)), works.indexOf(shown.work));
}

export function timelinesPanel(works: Work[], shown: Shown[], window: TimeWindow): HTMLElement {
  return panel("Timeline", ...shown.map((one) => oneTimeline(works, one, window)));
}
