// SPDX-License-Identifier: BSD-3-Clause
// What the history of a search says: the best candidates, and what each parameter does.
import type { Evaluation, Tuning } from "../data/facts.ts";

export interface Done extends Evaluation {
  makespan_s: number;
}

const isDone = (evaluation: Evaluation): evaluation is Done => evaluation.makespan_s !== null;

export function bestFirst({ evaluations }: Tuning): Done[] {
  return evaluations.filter(isDone).sort((one, other) => one.makespan_s - other.makespan_s);
}

/** Names of parameters that not all candidates share. */
export function varied({ evaluations }: Tuning): string[] {
  const values = new Map<string, Set<string>>();
  for (const { parameters } of evaluations)
    for (const [name, value] of Object.entries(parameters)) values.set(name, (values.get(name) ?? new Set()).add(value));
  return [...values].filter(([, different]) => different.size > 1).map(([name]) => name);
}

/** Of each value of a parameter: the best time with it, and how many candidates had it. */
export function bestByValue(tuning: Tuning, name: string): [value: string, best: number, count: number][] {
  const found = new Map<string, [best: number, count: number]>();
  for (const { parameters, makespan_s } of bestFirst(tuning)) {
    const value = parameters[name] ?? "-";
    const [best, count] = found.get(value) ?? [makespan_s, 0];
    found.set(value, [best, count + 1]);
  }
  return [...found].map(([value, [best, count]]) => [value, best, count]);
}
