// SPDX-License-Identifier: BSD-3-Clause
// How panels name works, and which panel belongs to which.
import type { Work } from "../data/facts.ts";

/** Empty where there is only one work. */
export function suffix(works: Work[], work: Work): string {
  return works.length > 1 ? `: ${workName(works, work)}` : "";
}

/** Numbered where two have the same name. */
export function workName(works: Work[], work: Work): string {
  const same = works.filter(({ name, source }) => name === work.name && source === work.source);
  const number = same.length > 1 ? ` (${String(same.indexOf(work) + 1)})` : "";
  return `${work.name}${number}, ${work.source}`;
}

/** The selector hides what has the number of a work. */
export function ofWork<Made extends HTMLElement>(made: Made, number: number): Made {
  made.dataset.work = String(number);
  return made;
}
