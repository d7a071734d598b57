// SPDX-License-Identifier: BSD-3-Clause
// What report/timeline.cpp does, for tests.

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

/** Grows as it is written. */
export class ByteWriter {
  private bytes = new Uint8Array(1 << 12);
  private length = 0;

  private put(byte: number): void {
    if (this.length === this.bytes.length) {
      const larger = new Uint8Array(2 * this.length);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.bytes[this.length++] = byte;
  }

  varint(number: number): void {
    let rest = number;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.put((rest % 128) + 128);
    this.put(rest);
  }

  signed(number: number): void {
    this.varint(number < 0 ? -2 * number - 1 : 2 * number);
  }

  written(): Uint8Array<ArrayBuffer> {
    return this.bytes.slice(0, this.length);
  }
}

export function encoded(operations: Operation[]): Uint8Array<ArrayBuffer> {
  const to = new ByteWriter();
  let end = operations[0].start;
  for (const operation of operations) {
    to.varint(operation.start - end);
    end = operation.end;
  }
  for (const { start, end: last } of operations) to.varint(last - start);
  for (const { cause } of operations) to.varint(cause);
  for (const key of ["i", "j", "k", "products", "bytes"] as const) {
    let before = 0;
    for (const operation of operations) {
      to.signed(operation[key] - before);
      before = operation[key];
    }
  }
  return to.written();
}

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
