// SPDX-License-Identifier: BSD-3-Clause
import { answerPanel } from "./answer.ts";
import { comparePanel } from "./compare.ts";
import { curvesPanel } from "./curves.ts";
import { type Facts, type Work, readFacts } from "./facts.ts";
import { heatMap } from "./heat.ts";
import { button, element, panel } from "./html.ts";
import { loadRun } from "./run.ts";
import { type Sections, sectionsOfPage } from "./sections.ts";
import { TimelineView } from "./timeline.ts";
import { wherePanel } from "./where.ts";
import { TimeWindow } from "./window.ts";

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

async function showWork(work: Work, sections: Sections, page: HTMLElement): Promise<void> {
  page.append(answerPanel(work));
  if (!work.timeline) {
    page.append(wherePanel(work));
    return;
  }
  const run = await loadRun(work.timeline, sections);
  const window = new TimeWindow(work.timeline.end);
  const view = new TimelineView(run, window, work.problem);
  globalThis.addEventListener("themechange", () => view.draw());
  page.append(panel("Timeline", view.root));
  view.resize();
  const heat = heatMap(run);
  page.append(wherePanel(work, ...(heat ? [heat] : [])));
  await curvesPanel(work.curves, work.timeline, window, sections);
}

async function show(): Promise<void> {
  const page = document.getElementById("page");
  if (!page) return;
  const facts = readFacts();
  page.append(header(facts));
  if (facts.works.length > 1) page.append(comparePanel(facts.works));
  const sections = sectionsOfPage();
  for (const work of facts.works) await showWork(work, sections, page);
  document.documentElement.dataset.ready = "yes";
}

show().catch((error: unknown) => {
  const text = error instanceof Error ? error.message : String(error);
  document.getElementById("page")?.append(element("p", { role: "alert" }, `The page cannot be shown: ${text}`));
});
