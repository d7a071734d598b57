// SPDX-License-Identifier: BSD-3-Clause
// Numbers for people: four digits and a prefix.

const prefixes = ["", "k", "M", "G", "T", "P", "E"];
const small = ["", "m", "u", "n", "p"];

function digits(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/** "3.379 s", "1.394 TB", "19 us". */
export function quantity(value: number, unit: string): string {
  if (!Number.isFinite(value)) return "-";
  let scaled = value;
  let step = 0;
  if (Math.abs(value) >= 1) {
    while (Math.abs(scaled) >= 999.95 && step < prefixes.length - 1) {
      scaled /= 1000;
      ++step;
    }
    return `${digits(scaled)} ${prefixes[step]}${unit}`.trim();
  }
  while (scaled !== 0 && Math.abs(scaled) < 0.99995 && step < small.length - 1) {
    scaled *= 1000;
    ++step;
  }
  return `${digits(scaled)} ${small[step]}${unit}`.trim();
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}%`;
}

/** 1834982 as "1 834 982", with spaces that do not break. */
export function grouped(count: number): string {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, "\u00a0");
}

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
  const units: [number, string][] = [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]];
  const [unit, name] = units.find(([size]) => largest >= size && step >= 0.999e-3 * size) ?? units[3];
  return `${String(Number((seconds / unit).toFixed(3)))} ${name}`;
}
