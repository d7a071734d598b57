// SPDX-License-Identifier: BSD-3-Clause
// What a picture of rows shows, and at which level of detail.
import type { Found, Run } from "../data/run.ts";
import { kindOfLane } from "../ui/palette.ts";
import type { Theme } from "../ui/theme.ts";
import type { Colouring, Ramps } from "./colours.ts";
import { type Group, isLane } from "./groups.ts";

export interface Scene {
  run: Run;
  /** Ticks. */
  from: number;
  to: number;
  rows: Group[];
  /** Where the first row begins, above the picture: from 0 to -rowHeight. */
  top: number;
  hidden: ReadonlySet<string>;
  colouring: Colouring;
  chosen: Found | undefined;
  theme: Theme;
  ramps: Ramps;
}

export const rowHeight = 18;

/** More in view are drawn as shares: decoding them would take longer than a frame. */
const mostOperations = 200_000;

/** Whether single operations are few enough. */
export function showsOperations({ run, rows, from, to }: Scene): boolean {
  let sum = 0;
  for (const row of rows) {
    if (isLane(row)) sum += run.operationsIn(row.begin, from, to);
    if (sum > mostOperations) return false;
  }
  return true;
}

/** Shares of a row by lane kind, without the hidden ones. */
export function shownMeans({ run, hidden }: Scene, row: Group): [kind: string, means: Float32Array][] {
  return [...run.meansOf(row.begin, row.end)]
    .map(([kind, means]): [string, Float32Array] => [run.kindName(kind), means])
    .filter(([kind]) => !hidden.has(kindOfLane(kind).cause));
}
