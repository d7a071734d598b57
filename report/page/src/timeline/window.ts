// SPDX-License-Identifier: BSD-3-Clause

/** The part of the time that is shown, in seconds; all pictures follow it. */
export class TimeWindow {
  from = 0;
  to: number;
  private readonly listeners: (() => void)[] = [];

  constructor(
    readonly end: number,
    private readonly shortest: number,
  ) {
    this.to = end;
  }

  get length(): number {
    return this.to - this.from;
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** What is too short or outside is moved to what can be shown. */
  show(from: number, to: number): void {
    const length = Math.min(this.end, Math.max(this.shortest, to - from));
    this.from = Math.min(Math.max(0, from), this.end - length);
    this.to = this.from + length;
    for (const listener of this.listeners) listener();
  }

  /** `factor` below 1 shows less. The time `at` stays where it is. */
  zoom(at: number, factor: number): void {
    const smallest = this.shortest / this.length;
    const allowed = Math.max(factor, smallest);
    this.show(at - (at - this.from) * allowed, at + (this.to - at) * allowed);
  }

  /** By a share of what is shown. */
  pan(share: number): void {
    this.show(this.from + share * this.length, this.to + share * this.length);
  }

  all(): void {
    this.show(0, this.end);
  }
}
