// SPDX-License-Identifier: BSD-3-Clause
// Busy shares of all devices as a map: one column for each rank, one row for each device.
import { element } from "./html.ts";
import type { Run } from "./run.ts";
import { percent } from "./units.ts";

interface Busy {
  rank: number;
  device: number;
  share: number;
}

/** Of lanes with products; copies of a lane add up. */
export function busyDevices(run: Run): Busy[] {
  const kernels = run.timeline.kinds.indexOf("kernels");
  const found = new Map<string, Busy>();
  for (let lane = 0; lane < run.lanes.count; ++lane) {
    if (run.lanes.kind[lane] !== kernels) continue;
    const [rank, device] = [run.lanes.rank[lane], run.lanes.device[lane]];
    const key = `${String(rank)} ${String(device)}`;
    const one = found.get(key) ?? { rank, device, share: 0 };
    one.share = Math.min(1, one.share + run.shareOf(lane));
    found.set(key, one);
  }
  return [...found.values()];
}

/** Dark to light: viridis, at five places (https://bids.github.io/colormap/). */
const scale = [
  [68, 1, 84],
  [59, 82, 139],
  [33, 145, 140],
  [94, 201, 98],
  [253, 231, 37],
];

export function heatColour(share: number): string {
  const place = Math.min(1, Math.max(0, share)) * (scale.length - 1);
  const low = Math.min(scale.length - 2, Math.floor(place));
  const mixed = scale[low].map((from, n) => Math.round(from + (place - low) * (scale[low + 1][n] - from)));
  return `rgb(${mixed.join(" ")})`;
}

export function heatMap(run: Run): HTMLElement | undefined {
  const devices = busyDevices(run);
  if (devices.length < 2) return undefined;
  const columns = devices.reduce((most, { rank }) => Math.max(most, rank), 0) + 1;
  const rows = devices.reduce((most, { device }) => Math.max(most, device), 0) + 1;
  const size = Math.max(1, Math.min(16, Math.floor(1000 / columns)));
  const canvas = element("canvas", { class: "heat", role: "img", "aria-label": "Share of the time in which each device multiplies" });
  canvas.width = columns * size;
  canvas.height = rows * Math.max(size, 4);
  const context = canvas.getContext("2d");
  const shares = devices.map(({ share }) => share);
  const least = shares.reduce((one, other) => Math.min(one, other));
  const most = shares.reduce((one, other) => Math.max(one, other));
  for (const { rank, device, share } of devices) {
    if (!context) break;
    context.fillStyle = heatColour(most > least ? (share - least) / (most - least) : 1);
    context.fillRect(rank * size, (device * canvas.height) / rows, size, canvas.height / rows);
  }
  const caption = `Products: share of the time of each device, from ${percent(least)} (dark) to ${percent(most)} (light). Columns are ranks, rows their devices.`;
  return element("figure", {}, element("figcaption", {}, caption), canvas);
}
