// SPDX-License-Identifier: BSD-3-Clause
// Lanes as a tree: nodes, ranks, kinds of work, copies of lanes that overlap.

export interface Group {
  label: string;
  depth: number;
  /** First and last lane, plus one: lanes are in order. */
  begin: number;
  end: number;
  children: Group[];
  open: boolean;
}

export interface LaneColumns {
  count: number;
  rank: Int32Array;
  device: Int32Array;
  kind: Int32Array;
  copy: Int32Array;
}

const mostOpenRows = 60;

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

interface Level {
  key: (lane: number) => number;
  label: (lane: number) => string;
}

/** A group of one child is that child. */
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
    for (const group of level) group.open = group.children.length > 0;
    if (countRows(groups) <= mostOpenRows) continue;
    for (const group of level) group.open = false;
    return;
  }
}

export function treeOf(lanes: LaneColumns, nodeOfRank: Int32Array, kinds: string[]): Group[] {
  const node = (lane: number): number => nodeOfRank[lanes.rank[lane]];
  const groups = groupsOf(
    [
      { key: node, label: (lane) => `node ${String(node(lane))}` },
      { key: (lane) => lanes.rank[lane], label: (lane) => `rank ${String(lanes.rank[lane])}` },
      { key: (lane) => (lanes.device[lane] + 1) * kinds.length + lanes.kind[lane], label: (lane) => laneLabel(lanes, lane, kinds) },
      { key: (lane) => lane, label: (lane) => `${laneLabel(lanes, lane, kinds)} ${String(lanes.copy[lane] + 1)}` },
    ],
    0,
    0,
    lanes.count,
  );
  openWhileFew(groups);
  return groups;
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

/** Opens what hides the lane; returns its row. */
export function reveal(groups: Group[], lane: number): Group {
  const group = groups.find((one) => one.begin <= lane && lane < one.end);
  if (!group) throw new Error(`no lane ${String(lane)}`);
  if (group.children.length === 0) return group;
  group.open = true;
  return reveal(group.children, lane);
}
