// SPDX-License-Identifier: BSD-3-Clause
// The part of the time that is shown, in ticks; all pictures of a work follow it.

export class TimeWindow {
  from = 0;
  to: number;
  private readonly listeners: (() => void)[] = [];

  constructor(readonly end: number) {
    this.to = end;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** At least one tick, inside of the run. */
  show(from: number, to: number): void {
    const length = Math.min(this.end, Math.max(1, to - from));
    this.from = Math.min(Math.max(0, from), this.end - length);
    this.to = this.from + length;
    for (const listener of this.listeners) listener();
  }

  /** `factor` below 1 shows less. The time `at` stays where it is. */
  zoom(at: number, factor: number): void {
    this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }

  /** By a share of what is shown. */
  pan(share: number): void {
    const length = this.to - this.from;
    this.show(this.from + share * length, this.to + share * length);
  }

  all(): void {
    this.show(0, this.end);
  }
}
