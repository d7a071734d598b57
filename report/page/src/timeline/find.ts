// SPDX-License-Identifier: BSD-3-Clause
// What a search finds: lanes, and operations one after the other.
import type { Operations } from "../data/blocks.ts";
import type { Found, LaneColumns, Run } from "../data/run.ts";
import type { Wanted } from "./search.ts";

/** A long search lets the page draw after so many blocks. */
const blocksAtOnce = 16;

export function lanesOf({ rank, device, count }: LaneColumns, wanted: Wanted): number[] {
  const lanes = [];
  for (let lane = 0; lane < count; ++lane) {
    const here = (wanted.rank === undefined || rank[lane] === wanted.rank) && (wanted.device === undefined || device[lane] === wanted.device);
    if (here) lanes.push(lane);
  }
  return lanes;
}

/** Lanes that follow the first one without a gap: what belongs to a rank or a device. */
export function firstRange(lanes: number[]): [begin: number, end: number] | undefined {
  if (lanes.length === 0) return undefined;
  const end = lanes.findIndex((lane, n) => n > 0 && lane !== lanes[n - 1] + 1);
  return [lanes[0], lanes[(end < 0 ? lanes.length : end) - 1] + 1];
}

function hasTile({ i, j, k }: Operations, index: number, wanted: Wanted): boolean {
  const same = (one: number | undefined, other: number): boolean => one === undefined || one === other;
  return same(wanted.i, i[index]) && same(wanted.j, j[index]) && same(wanted.k, k[index]);
}

/** Operations of a tile, lane by lane. Undefined now and then, when the page may draw. */
export async function* findOperations(run: Run, wanted: Wanted): AsyncGenerator<Found | undefined> {
  let blocks = 0;
  for (const lane of lanesOf(run.lanes, wanted)) {
    const [begin, end] = run.blocksOf(lane);
    for (let block = begin; block < end; ++block) {
      const operations = await run.decoded(block);
      for (let index = 0; index < operations.start.length; ++index) if (hasTile(operations, index, wanted)) yield { lane, block, index, operations };
      if (++blocks % blocksAtOnce === 0) yield undefined;
    }
  }
}

/** The first operation of a lane that ends after the time. */
export async function firstAfter(run: Run, lane: number, tick: number): Promise<Found | undefined> {
  const [begin, end] = run.blocksOf(lane);
  const { last } = run.columns.blocks;
  for (let block = begin; block < end; ++block) {
    if (last[block] <= tick) continue;
    const operations = await run.decoded(block);
    const index = operations.end.findIndex((time) => time > tick);
    if (index >= 0) return { lane, block, index, operations };
  }
  return undefined;
}
