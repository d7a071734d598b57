// SPDX-License-Identifier: BSD-3-Clause
// Lanes as a tree: nodes, ranks, kinds of work, copies of lanes that overlap.
import type { LaneColumns } from "../data/run.ts";

/** A row of the timeline: one lane, or several that follow each other. */
export interface Group {
  label: string;
  depth: number;
  /** First lane, and the one behind the last. */
  begin: number;
  end: number;
  children: Group[];
  open: boolean;
}

interface Level {
  key: (lane: number) => number;
  label: (lane: number) => string;
}

const mostOpenRows = 60;

/** Whether a row is one lane, whose operations can be drawn. */
export const isLane = (row: Group): boolean => row.children.length === 0;

function laneLabel(lanes: LaneColumns, lane: number, kinds: string[]): string {
  const device = lanes.device[lane];
  return device < 0 ? kinds[lanes.kind[lane]] : `device ${String(device)} ${kinds[lanes.kind[lane]]}`;
}

/** Splits lanes begin .. end - 1 where the key changes. */
function split(begin: number, end: number, key: (lane: number) => number): [number, number][] {
  const parts: [number, number][] = [];
  for (let lane = begin; lane < end; ++lane) {
    const last = parts.at(-1);
    if (last && key(last[0]) === key(lane)) last[1] = lane + 1;
    else parts.push([lane, lane + 1]);
  }
  return parts;
}

/** A group of one lane is that lane. */
function groupsOf(levels: Level[], depth: number, begin: number, end: number): Group[] {
  const [level, ...inner] = levels;
  return split(begin, end, level.key).map(([first, last]) => {
    const children = inner.length > 0 && last - first > 1 ? groupsOf(inner, depth + 1, first, last) : [];
    return { label: level.label(first), depth, begin: first, end: last, children, open: false };
  });
}

function countRows(groups: Group[]): number {
  return groups.reduce((sum, group) => sum + 1 + (group.open ? countRows(group.children) : 0), 0);
}

/** Opens level after level while the rows are few. */
function openWhileFew(groups: Group[]): void {
  for (let level = groups; level.length > 0; level = level.flatMap((group) => group.children)) {
    for (const group of level) group.open = !isLane(group);
    if (countRows(groups) <= mostOpenRows) continue;
    for (const group of level) group.open = false;
    return;
  }
}

function levelsOf(lanes: LaneColumns, nodeOfRank: Int32Array, kinds: string[]): Level[] {
  const node = (lane: number): number => nodeOfRank[lanes.rank[lane]];
  return [
    { key: node, label: (lane) => `node ${String(node(lane))}` },
    { key: (lane) => lanes.rank[lane], label: (lane) => `rank ${String(lanes.rank[lane])}` },
    { key: (lane) => (lanes.device[lane] + 1) * kinds.length + lanes.kind[lane], label: (lane) => laneLabel(lanes, lane, kinds) },
    { key: (lane) => lane, label: (lane) => `${laneLabel(lanes, lane, kinds)} ${String(lanes.copy[lane] + 1)}` },
  ];
}

export function treeOf(lanes: LaneColumns, nodeOfRank: Int32Array, kinds: string[]): Group[] {
  const groups = groupsOf(levelsOf(lanes, nodeOfRank, kinds), 0, 0, lanes.count);
  openWhileFew(groups);
  return groups;
}

/** Opens or folds nodes, and folds all inside of them. */
export function setOpen(groups: Group[], open: boolean): void {
  for (const group of groups) {
    group.open = open && !isLane(group);
    setOpen(group.children, false);
  }
}

/** Rows from top to bottom. */
export function visibleRows(groups: Group[]): Group[] {
  const rows: Group[] = [];
  const add = (group: Group): void => {
    rows.push(group);
    if (group.open) group.children.forEach(add);
  };
  groups.forEach(add);
  return rows;
}

/** The smallest row that has the lanes begin .. end - 1. Opens what hides it. */
export function reveal(groups: Group[], begin: number, end: number): Group | undefined {
  const group = groups.find((one) => one.begin <= begin && end <= one.end);
  if (!group) return undefined;
  const inner = group.begin === begin && group.end === end ? undefined : reveal(group.children, begin, end);
  if (inner) group.open = true;
  return inner ?? group;
}
