// SPDX-License-Identifier: BSD-3-Clause
// Numbers for people: four digits and a prefix.

/** By power of 1000, from 10^-12 on. */
const prefixes = ["p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"];
const noPrefix = 4;

function rounded(value: number, digits: number): string {
  return String(Number(value.toPrecision(digits)));
}

/** The power of 1000 whose prefix leaves one to three digits before the point, after rounding. */
function powerOf(value: number, digits: number): number {
  const power = Math.floor(Math.log10(Number(Math.abs(value).toPrecision(digits))) / 3 + 1e-9);
  return Math.max(-noPrefix, Math.min(prefixes.length - 1 - noPrefix, power));
}

/** "3.379 s", "1.394 TB", "19 µs". */
export function quantity(value: number, unit: string, digits = 4): string {
  if (!Number.isFinite(value)) return "-";
  if (value === 0) return `0 ${unit}`.trim();
  const power = powerOf(value, digits);
  return `${rounded(value / 1000 ** power, digits)} ${prefixes[power + noPrefix]}${unit}`.trim();
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)}%`;
}

/** "+12%", "-3.4%", "0%": against 100%. */
export function change(ratio: number): string {
  const text = (100 * Math.abs(ratio - 1)).toFixed(1);
  if (text === "0.0") return "0%";
  return `${ratio > 1 ? "+" : "-"}${text}%`;
}

/** Without a prefix, for what has no unit: "0.00143", "12". */
export const plain = (value: number): string => String(Number(value.toPrecision(3)));

/** 1834982 as "1 834 982", with spaces that do not break. */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, "\u00a0");
}

/** "1 node", "2 nodes". */
export const counted = (number: number, name: string): string => `${grouped(number)} ${name}${number === 1 ? "" : "s"}`;

/** Round times for an axis: at least `fewest` between both. */
export function ticksBetween(from: number, to: number, fewest: number): number[] {
  const rough = (to - from) / fewest;
  if (!(rough > 0)) return [from];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([5, 2, 1].find((factor) => factor * power <= rough) ?? 1) * power;
  const ticks = [];
  for (let n = Math.ceil(from / step - 1e-9); n * step <= to * (1 + 1e-12); ++n) ticks.push(n * step + 0);
  return ticks;
}

/** Times beside each other, `step` apart: in the unit of the largest where three digits behind the point are enough, else in a smaller one. */
export function timeLabel(seconds: number, step: number, largest: number): string {
  const units: [number, string][] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
  const [unit, name] = units.find(([size]) => largest >= size && step >= 0.999e-3 * size) ?? units[3];
  return `${String(Number((seconds / unit).toFixed(3)))} ${name}`;
}
