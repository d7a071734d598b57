// SPDX-License-Identifier: BSD-3-Clause
// What a better machine saves, and which guesses decide.
import type { Guess, WhatIf, Work } from "../data/facts.ts";
import { type Bar, bars } from "../ui/bars.ts";
import { element, panel } from "../ui/html.ts";
import type { Colour } from "../ui/palette.ts";
import { seconds, share, table } from "../ui/table.ts";
import { percent } from "../ui/units.ts";
import { ofWork, suffix } from "./works.ts";

const savedColour: Colour = [0, 158, 115];

function savingBars(rows: WhatIf[], makespan: number): HTMLElement {
  const bar = ({ resource, saved_s }: WhatIf): Bar => ({ label: resource, parts: [{ value: Math.max(0, saved_s), colour: savedColour }], text: percent(saved_s / makespan) });
  return element("div", {}, element("h3", {}, "Time saved by twice as good a resource"), bars(rows.map(bar)));
}

function savingParts(rows: WhatIf[], makespan: number): HTMLElement[] {
  if (rows.length === 0) return [];
  const cells = rows.map(({ resource, makespan_s, saved_s, set }) => [resource, seconds(makespan_s), seconds(saved_s), share(saved_s / makespan), set ?? ""]);
  return [savingBars(rows, makespan), table("Twice as good", ["resource", "time", "saved", "share", "the same by --set"], cells)];
}

function guessParts(rows: Guess[], makespan: number): HTMLElement[] {
  if (rows.length === 0) return [];
  const cells = rows.map(({ figure, value, makespan_s, saved_s }) => [figure, String(value), seconds(makespan_s), share(saved_s / makespan)]);
  return [table("Guesses that decide: measure them", ["figure", "value", "time if twice as good", "saved"], cells)];
}

/** None where the report has neither. */
export function helpsPanel(works: Work[], work: Work): HTMLElement[] {
  const { what_if: rows = [], guesses = [], makespan_s } = work.report;
  const parts = [...savingParts(rows, makespan_s), ...guessParts(guesses, makespan_s)];
  return parts.length > 0 ? [ofWork(panel(`What helps${suffix(works, work)}`, element("div", { class: "tables" }, ...parts)), works.indexOf(work))] : [];
}
