// SPDX-License-Identifier: BSD-3-Clause
// Whole numbers of seven bits a byte, as report/varint.hpp writes them.

export class VarintReader {
  private at: number;

  constructor(
    private readonly bytes: Uint8Array,
    offset: number,
  ) {
    this.at = offset;
  }

  /** Numbers above 2^53 lose their last bits. */
  unsigned(): number {
    let number = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.bytes[this.at++];
      if (byte < 0x80) return number + byte * factor;
      number += (byte - 0x80) * factor;
    }
  }

  /** 0, 1, 2, 3 are 0, -1, 1, -2. */
  signed(): number {
    const number = this.unsigned();
    return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
  }
}
