// SPDX-License-Identifier: BSD-3-Clause
import { type Facts, type Work, readFacts } from "./data/facts.ts";
import { type Run, loadRun } from "./data/run.ts";
import { type Sections, sectionsOfPage } from "./data/sections.ts";
import { answerPanel } from "./panels/answer.ts";
import { comparePanel } from "./panels/compare.ts";
import { curvesPanel } from "./panels/curves.ts";
import { header } from "./panels/header.ts";
import { helpsPanel } from "./panels/helps.ts";
import { selector } from "./panels/selector.ts";
import { type Shown, timelinesPanel } from "./panels/timelines.ts";
import { tuningPanel } from "./panels/tuning.ts";
import { wherePanel } from "./panels/where.ts";
import { TimeWindow } from "./timeline/window.ts";
import { element } from "./ui/html.ts";
import { preparePrinting } from "./ui/theme.ts";

/** Ticks that fit into the narrowest window. */
const fewestTicks = 20;

function windowOf(runs: Run[]): TimeWindow {
  const ends = runs.map((run) => run.seconds);
  const ticks = runs.map((run) => run.timeline.tick_s);
  return new TimeWindow(Math.max(...ends), fewestTicks * Math.min(...ticks));
}

async function shownOf(works: Work[], sections: Sections): Promise<Shown[]> {
  const shown = [];
  for (const work of works) if (work.timeline) shown.push({ work, run: await loadRun(work.timeline, sections) });
  return shown;
}

/** What each work has in a grid: one beside the other where there is room. */
const beside = (panels: HTMLElement[]): HTMLElement => element("div", { class: panels.length > 1 ? "beside" : "" }, ...panels);

async function show(page: HTMLElement, { works, tunings, ...facts }: Facts): Promise<void> {
  const sections = sectionsOfPage();
  const many = works.length > 1;
  page.append(header(facts));
  if (many) page.append(selector(works, page));
  if (works.length > 0) page.append(beside(works.map((work, n) => answerPanel(work, n))));
  if (many) page.append(comparePanel(works));
  const shown = await shownOf(works, sections);
  if (shown.length > 0) {
    const window = windowOf(shown.map(({ run }) => run));
    page.append(timelinesPanel(works, shown, window));
    for (const one of shown) await curvesPanel(page, works, one, window, sections);
  }
  for (const work of works) page.append(wherePanel(works, work, shown.find((one) => one.work === work)?.run));
  page.append(...works.flatMap((work) => helpsPanel(works, work)));
  for (const tuning of tunings) tuningPanel(page, tuning);
}

function start(page: HTMLElement): void {
  preparePrinting();
  Promise.resolve()
    .then(() => show(page, readFacts()))
    .then(() => (document.documentElement.dataset.ready = "yes"))
    .catch((error: unknown) => page.append(element("p", { role: "alert" }, `The page cannot be shown: ${error instanceof Error ? error.message : String(error)}`)));
}

const page = document.getElementById("page");
if (page) start(page);
