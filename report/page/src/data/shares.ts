// SPDX-License-Identifier: BSD-3-Clause
// Busy shares of lanes by bin: bytes from 0 to 255 in the file, means of them on the screen.

/** Of each lane kind: the mean share of its lanes, by bin. */
export type Means = Map<number, Float32Array>;

export interface LaneShares {
  bins: number;
  /** Bin after bin, lane after lane. */
  shares: Uint8Array;
  kind: Int32Array;
}

function addTo(sum: Float32Array, { bins, shares }: LaneShares, lane: number): void {
  for (let bin = 0, at = lane * bins; bin < bins; ++bin, ++at) sum[bin] += shares[at];
}

/** Over the lanes begin .. end - 1. */
export function meansOf(lanes: LaneShares, begin: number, end: number): Means {
  const means: Means = new Map();
  const counts = new Map<number, number>();
  for (let lane = begin; lane < end; ++lane) {
    const kind = lanes.kind[lane];
    const sum = means.get(kind) ?? new Float32Array(lanes.bins);
    addTo(sum, lanes, lane);
    means.set(kind, sum);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  for (const [kind, sum] of means) scale(sum, 1 / (255 * (counts.get(kind) ?? 1)));
  return means;
}

function scale(numbers: Float32Array, factor: number): void {
  for (let n = 0; n < numbers.length; ++n) numbers[n] *= factor;
}

/** Mean over all bins of a lane. */
export function meanShare({ bins, shares }: LaneShares, lane: number): number {
  let sum = 0;
  for (let at = lane * bins; at < (lane + 1) * bins; ++at) sum += shares[at];
  return sum / bins / 255;
}

/** Mean of the bins under each pixel, where the pixels go from bin `from` to bin `to`. Outside of the bins: 0. */
export function pooled(bins: Float32Array, from: number, to: number, pixels: Float32Array): Float32Array {
  const step = (to - from) / pixels.length;
  for (let x = 0; x < pixels.length; ++x) {
    const left = from + x * step;
    const first = Math.max(0, Math.floor(left));
    const last = Math.min(bins.length, Math.max(first + 1, Math.ceil(left + step - 1e-9)));
    let sum = 0;
    for (let bin = first; bin < last; ++bin) sum += bins[bin];
    pixels[x] = last > first && left + step > 0 ? sum / (last - first) : 0;
  }
  return pixels;
}
