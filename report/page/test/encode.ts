// SPDX-License-Identifier: BSD-3-Clause
// What report/timeline.cpp does, for tests.
import { deflateSync } from "node:zlib";

export interface Operation {
  start: number;
  end: number;
  cause: number;
  i: number;
  j: number;
  k: number;
  products: number;
  bytes: number;
}

export function varint(number: number): number[] {
  const bytes = [];
  for (; number >= 128; number = Math.floor(number / 128)) bytes.push((number % 128) + 128);
  return [...bytes, number];
}

export const signed = (number: number): number[] => varint(number < 0 ? -2 * number - 1 : 2 * number);

export function encoded(operations: Operation[]): number[] {
  const bytes: number[] = [];
  let end = operations[0].start;
  for (const operation of operations) {
    bytes.push(...varint(operation.start - end));
    end = operation.end;
  }
  for (const { start, end } of operations) bytes.push(...varint(end - start));
  for (const { cause } of operations) bytes.push(...varint(cause));
  for (const key of ["i", "j", "k", "products", "bytes"] as const) {
    let before = 0;
    for (const operation of operations) {
      bytes.push(...signed(operation[key] - before));
      before = operation[key];
    }
  }
  return bytes;
}

export const packed = (bytes: Uint8Array): string => deflateSync(bytes).toString("base64");

/** Whole numbers from a seed: mulberry32. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) % below;
  };
}

/** Of one lane, none of which overlap. */
export function randomOperations(count: number, random: (below: number) => number): Operation[] {
  const operations: Operation[] = [];
  let now = random(1000);
  for (let n = 0; n < count; ++n) {
    const start = now + random(2) * random(1000);
    now = start + random(100_000);
    operations.push({ start, end: now, cause: random(8), i: random(100) - 1, j: random(100) - 1, k: random(100) - 1, products: random(5), bytes: random(1e9) * 1000 });
  }
  return operations;
}
