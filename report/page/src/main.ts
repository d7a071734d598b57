// SPDX-License-Identifier: BSD-3-Clause
import { answerPanel } from "./answer.ts";
import { comparePanel } from "./compare.ts";
import { curvesPanel } from "./curves.ts";
import { type Facts, type Work, readFacts } from "./facts.ts";
import { heatMap } from "./heat.ts";
import { button, element, panel } from "./html.ts";
import { type Run, loadRun } from "./run.ts";
import { type Sections, sectionsOfPage } from "./sections.ts";
import { TimelineView } from "./timeline.ts";
import { wherePanel } from "./where.ts";
import { SharedTime, TimeWindow } from "./window.ts";

function toggleTheme(): void {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  window.dispatchEvent(new Event("themechange"));
}

function header(facts: Facts): HTMLElement {
  return element(
    "header",
    {},
    element("h1", {}, facts.title),
    element("p", { class: "about" }, `${facts.program} · ${facts.made} · `, element("code", {}, facts.command), " ", button("Light or dark", "Change between light and dark", toggleTheme)),
  );
}

/** A work whose operations are at hand. */
interface Loaded {
  work: Work;
  run?: Run;
  window?: TimeWindow;
}

async function loaded(work: Work, time: SharedTime, sections: Sections): Promise<Loaded> {
  if (!work.timeline) return { work };
  return { work, run: await loadRun(work.timeline, sections), window: new TimeWindow(time, work.timeline.tick_s) };
}

function showTimeline({ work, run, window }: Loaded, page: HTMLElement): void {
  if (!run || !window) return;
  const view = new TimelineView(run, window, `${work.problem}, ${work.source}`);
  globalThis.addEventListener("themechange", () => view.draw());
  page.append(panel(`Timeline, ${work.name}, ${work.source}`, view.root));
  view.resize();
}

function showWhere({ work, run }: Loaded, page: HTMLElement): void {
  const heat = run ? heatMap(run) : undefined;
  page.append(wherePanel(work, ...(heat ? [heat] : [])));
}

/** As long as the longest; what is shown has at least a tick of each. */
function timeOf(works: Work[]): SharedTime {
  const timelines = works.flatMap(({ timeline }) => (timeline ? [timeline] : []));
  return new SharedTime(Math.max(0, ...timelines.map(({ end, tick_s }) => end * tick_s)), Math.max(0, ...timelines.map(({ tick_s }) => tick_s)));
}

async function show(): Promise<void> {
  const page = document.getElementById("page");
  if (!page) return;
  const facts = readFacts();
  page.append(header(facts));
  if (facts.works.length > 1) page.append(comparePanel(facts.works));
  const sections = sectionsOfPage();
  const time = timeOf(facts.works);
  const works = await Promise.all(facts.works.map((work) => loaded(work, time, sections)));
  for (const work of facts.works) page.append(answerPanel(work));
  for (const one of works) showTimeline(one, page);
  for (const one of works) showWhere(one, page);
  for (const { work, window } of works) if (work.timeline && window) await curvesPanel(work, work.timeline, window, sections, page);
  document.documentElement.dataset.ready = "yes";
}

show().catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  document.getElementById("page")?.append(element("p", { role: "alert" }, `The page cannot be shown: ${text}`));
});
