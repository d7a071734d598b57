// SPDX-License-Identifier: BSD-3-Clause

/** A map that forgets what was used longest ago: pages hold more data than a browser should keep unpacked. */
export class Recent<Key, Value> {
  private readonly kept = new Map<Key, Value>();

  constructor(
    private readonly most: number,
    private readonly forgotten: (key: Key) => void = () => undefined,
  ) {}

  get(key: Key): Value | undefined {
    const value = this.kept.get(key);
    if (value !== undefined) this.renew(key, value);
    return value;
  }

  set(key: Key, value: Value): void {
    this.renew(key, value);
    if (this.kept.size > this.most) this.forgetOldest();
  }

  /** Map keeps the order of insertion, so that the oldest key comes first. */
  private renew(key: Key, value: Value): void {
    this.kept.delete(key);
    this.kept.set(key, value);
  }

  private forgetOldest(): void {
    for (const key of this.kept.keys()) {
      this.kept.delete(key);
      this.forgotten(key);
      return;
    }
  }
}
