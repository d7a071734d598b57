// SPDX-License-Identifier: BSD-3-Clause
// The timeline of one work: its lanes at once, its operations when they are asked for.
import { type Operations, decodedBlock, operationBefore } from "./blocks.ts";
import type { Blocks, Lanes, Timeline } from "./facts.ts";
import { Recent } from "./recent.ts";
import type { Sections } from "./sections.ts";
import { type LaneShares, type Means, meansOf } from "./shares.ts";

export interface LaneColumns {
  count: number;
  rank: Int32Array;
  device: Int32Array;
  kind: Int32Array;
  copy: Int32Array;
}

interface BlockColumns {
  first: Float64Array;
  last: Float64Array;
  operations: Int32Array;
  section: Int32Array;
  offset: Int32Array;
}

export interface RunColumns {
  lanes: LaneColumns;
  nodeOfRank: Int32Array;
  shares: Uint8Array;
  firstBlock: Int32Array;
  blocks: BlockColumns;
}

/** One operation, with where it is. */
export interface Found {
  lane: number;
  block: number;
  index: number;
  operations: Operations;
}

/** Of 4,096 operations each: some 40 MB. */
const mostBlocks = 256;

export class Run {
  readonly lanes: LaneColumns;
  readonly shares: LaneShares;
  private readonly means = new Map<string, Means>();
  private readonly recent = new Recent<number, Operations>(mostBlocks, (block) => this.asked.delete(block));
  private readonly asked = new Set<number>();
  private readonly listeners: (() => void)[] = [];

  constructor(
    readonly timeline: Timeline,
    private readonly sections: Sections,
    readonly columns: RunColumns,
  ) {
    this.lanes = columns.lanes;
    this.shares = { bins: timeline.bins, shares: columns.shares, kind: columns.lanes.kind };
  }

  get seconds(): number {
    return this.timeline.end * this.timeline.tick_s;
  }

  onLoad(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Mean shares of the lanes begin .. end - 1; computed once. */
  meansOf(begin: number, end: number): Means {
    const key = `${String(begin)} ${String(end)}`;
    const found = this.means.get(key) ?? meansOf(this.shares, begin, end);
    this.means.set(key, found);
    return found;
  }

  kindName(kind: number): string {
    return this.timeline.kinds[kind];
  }

  blocksOf(lane: number): [first: number, end: number] {
    const { firstBlock } = this.columns;
    return [firstBlock[lane], firstBlock[lane + 1]];
  }

  /** Numbers of a lane's blocks that have a part of the time. */
  blocksIn(lane: number, from: number, to: number): number[] {
    const { first, last } = this.columns.blocks;
    const found = [];
    const [begin, end] = this.blocksOf(lane);
    for (let block = begin; block < end && first[block] <= to; ++block) if (last[block] >= from) found.push(block);
    return found;
  }

  /** About how many operations of the lane are in the time. */
  operationsIn(lane: number, from: number, to: number): number {
    const { first, last, operations } = this.columns.blocks;
    return this.blocksIn(lane, from, to).reduce((sum, block) => {
      const inside = Math.min(to, last[block]) - Math.max(from, first[block]);
      const length = Math.max(1, last[block] - first[block]);
      return sum + operations[block] * Math.max(0, Math.min(1, inside / length));
    }, 0);
  }

  /** Undefined: not yet there. It is asked for, and listeners hear when it has come. */
  block(number: number): Operations | undefined {
    const found = this.recent.get(number);
    if (!found && !this.asked.has(number)) void this.load(number);
    return found;
  }

  private async load(number: number): Promise<void> {
    this.asked.add(number);
    this.recent.set(number, await this.decoded(number));
    for (const listener of this.listeners) listener();
  }

  /** A search passes over many blocks: they are not kept. */
  async decoded(number: number): Promise<Operations> {
    const { section, offset, operations, first } = this.columns.blocks;
    const bytes = await this.sections.section(section[number]);
    return this.recent.get(number) ?? decodedBlock(bytes, offset[number], operations[number], first[number]);
  }

  /** The operation of a lane at a time, or the last before it; undefined where there is none or it is not yet there. */
  operationAt(lane: number, tick: number): Found | undefined {
    const [begin, end] = this.blocksOf(lane);
    let block = end - 1;
    while (block >= begin && this.columns.blocks.first[block] > tick) --block;
    const operations = block >= begin ? this.block(block) : undefined;
    if (!operations) return undefined;
    const index = operationBefore(operations, tick);
    return index < 0 ? undefined : { lane, block, index, operations };
  }

  /** The operation that follows, or with -1 the one before; undefined at the ends of the lane. */
  async neighbour(found: Found, direction: 1 | -1): Promise<Found | undefined> {
    const index = found.index + direction;
    if (index >= 0 && index < found.operations.start.length) return { ...found, index };
    const block = found.block + direction;
    const [begin, end] = this.blocksOf(found.lane);
    if (block < begin || block >= end) return undefined;
    const operations = await this.decoded(block);
    return { lane: found.lane, block, index: direction > 0 ? 0 : operations.start.length - 1, operations };
  }
}

async function laneColumns(lanes: Lanes, sections: Sections): Promise<LaneColumns> {
  const [rank, device, kind, copy] = await Promise.all([lanes.rank, lanes.device, lanes.kind, lanes.copy].map((part) => sections.integers(part)));
  return { count: lanes.count, rank, device, kind, copy };
}

async function blockColumns(blocks: Blocks, sections: Sections): Promise<BlockColumns> {
  const [operations, section, offset] = await Promise.all([blocks.operations, blocks.section, blocks.offset].map((part) => sections.integers(part)));
  const [first, last] = await Promise.all([blocks.first, blocks.last].map((part) => sections.doubles(part)));
  return { first, last, operations, section, offset };
}

export async function loadRun(timeline: Timeline, sections: Sections): Promise<Run> {
  return new Run(timeline, sections, {
    lanes: await laneColumns(timeline.lanes, sections),
    nodeOfRank: await sections.integers(timeline.node_of_rank),
    shares: await sections.bytes(timeline.shares),
    firstBlock: await sections.integers(timeline.lanes.first_block),
    blocks: await blockColumns(timeline.blocks, sections),
  });
}
