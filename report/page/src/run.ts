// SPDX-License-Identifier: BSD-3-Clause
// The timeline of one work: its lanes at once, its operations when they are asked for.
import { type Operations, decodedBlock, operationBefore } from "./blocks.ts";
import type { Timeline } from "./facts.ts";
import { type Group, type LaneColumns, treeOf } from "./groups.ts";
import type { Numbers, Sections } from "./sections.ts";

interface BlockColumns {
  first: Float64Array;
  last: Float64Array;
  operations: Int32Array;
  section: Int32Array;
  offset: Int32Array;
}

/** One operation, with where it is. */
export interface Found {
  lane: number;
  block: number;
  index: number;
  operations: Operations;
}

const mostBlocks = 512;

export class Run {
  readonly groups: Group[];
  /** By group and lane kind: the mean share of its lanes, by bin. */
  private readonly means = new Map<Group, Map<number, Float32Array>>();
  private readonly blocks = new Map<number, Operations>();
  private readonly asked = new Set<number>();
  private readonly listeners: (() => void)[] = [];

  constructor(
    readonly timeline: Timeline,
    private readonly sections: Sections,
    readonly lanes: LaneColumns,
    nodeOfRank: Int32Array,
    private readonly shares: Uint8Array,
    private readonly firstBlock: Int32Array,
    private readonly columns: BlockColumns,
  ) {
    this.groups = treeOf(lanes, nodeOfRank, timeline.kinds);
  }

  onLoad(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** By kind of lane that the group has. */
  meansOf(group: Group): Map<number, Float32Array> {
    const found = this.means.get(group);
    if (found) return found;
    const sums = new Map<number, Float32Array>();
    const counts = new Map<number, number>();
    for (let lane = group.begin; lane < group.end; ++lane) this.addShares(lane, sums, counts);
    for (const [kind, sum] of sums) sum.forEach((_, bin) => (sum[bin] /= 255 * (counts.get(kind) ?? 1)));
    this.means.set(group, sums);
    return sums;
  }

  private addShares(lane: number, sums: Map<number, Float32Array>, counts: Map<number, number>): void {
    const { bins } = this.timeline;
    const kind = this.lanes.kind[lane];
    let sum = sums.get(kind);
    if (!sum) sums.set(kind, (sum = new Float32Array(bins)));
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (let bin = 0, at = lane * bins; bin < bins; ++bin, ++at) sum[bin] += this.shares[at];
  }

  /** Mean share of the whole time of one lane. */
  shareOf(lane: number): number {
    const { bins } = this.timeline;
    let sum = 0;
    for (let at = lane * bins; at < (lane + 1) * bins; ++at) sum += this.shares[at];
    return sum / bins / 255;
  }

  /** Numbers of a lane's blocks that have a part of the time. */
  blocksIn(lane: number, from: number, to: number): number[] {
    const found = [];
    for (let block = this.firstBlock[lane]; block < this.firstBlock[lane + 1]; ++block) {
      if (this.columns.first[block] > to) break;
      if (this.columns.last[block] >= from) found.push(block);
    }
    return found;
  }

  /** About how many operations of the lane are in the time. */
  operationsIn(lane: number, from: number, to: number): number {
    const { first, last, operations } = this.columns;
    return this.blocksIn(lane, from, to).reduce((sum, block) => {
      const inside = Math.min(to, last[block]) - Math.max(from, first[block]);
      const length = Math.max(1, last[block] - first[block]);
      return sum + operations[block] * Math.max(0, Math.min(1, inside / length));
    }, 0);
  }

  /** Undefined: not yet there. It is asked for, and listeners hear when it has come. */
  block(number: number): Operations | undefined {
    const found = this.blocks.get(number);
    if (!found && !this.asked.has(number)) void this.load(number);
    return found;
  }

  async load(number: number): Promise<Operations> {
    this.asked.add(number);
    const { section, offset, operations, first } = this.columns;
    const bytes = await this.sections.section(section[number]);
    const block = decodedBlock(bytes, offset[number], operations[number], first[number]);
    this.blocks.set(number, block);
    this.forgetOldest();
    for (const listener of this.listeners) listener();
    return block;
  }

  private forgetOldest(): void {
    for (const number of this.blocks.keys()) {
      if (this.blocks.size <= mostBlocks) return;
      this.blocks.delete(number);
      this.asked.delete(number);
    }
  }

  /** The operation of a lane at a time, or the last before it; undefined where there is none or it is not yet there. */
  operationAt(lane: number, tick: number): Found | undefined {
    let block = this.firstBlock[lane + 1] - 1;
    while (block >= this.firstBlock[lane] && this.columns.first[block] > tick) --block;
    if (block < this.firstBlock[lane]) return undefined;
    const operations = this.block(block);
    if (!operations) return undefined;
    const index = operationBefore(operations, tick);
    return index < 0 ? undefined : { lane, block, index, operations };
  }

  /** The first operation of a lane that the test accepts. */
  async search(lane: number, wanted: (operations: Operations, index: number) => boolean): Promise<Found | undefined> {
    for (let block = this.firstBlock[lane]; block < this.firstBlock[lane + 1]; ++block) {
      const operations = this.blocks.get(block) ?? (await this.load(block));
      for (let index = 0; index < operations.start.length; ++index)
        if (wanted(operations, index)) return { lane, block, index, operations };
    }
    return undefined;
  }
}

export async function loadRun(timeline: Timeline, sections: Sections): Promise<Run> {
  const read = <Kind extends Numbers>(part: Parameters<Sections["numbers"]>[0]): Promise<Kind> => sections.numbers(part) as Promise<Kind>;
  const { lanes, blocks } = timeline;
  const columns: LaneColumns = {
    count: lanes.count,
    rank: await read<Int32Array>(lanes.rank),
    device: await read<Int32Array>(lanes.device),
    kind: await read<Int32Array>(lanes.kind),
    copy: await read<Int32Array>(lanes.copy),
  };
  return new Run(timeline, sections, columns, await read<Int32Array>(timeline.node_of_rank), await read<Uint8Array>(timeline.shares), await read<Int32Array>(lanes.first_block), {
    first: await read<Float64Array>(blocks.first),
    last: await read<Float64Array>(blocks.last),
    operations: await read<Int32Array>(blocks.operations),
    section: await read<Int32Array>(blocks.section),
    offset: await read<Int32Array>(blocks.offset),
  });
}
