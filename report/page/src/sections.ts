// SPDX-License-Identifier: BSD-3-Clause
// Sections of numbers: base64 and zlib, unpacked when they are asked for.
import type { Part } from "./facts.ts";

export type Numbers = Uint8Array | Int32Array | Float32Array | Float64Array;

const kinds = { u8: Uint8Array, i32: Int32Array, f32: Float32Array, f64: Float64Array };

/** The numbers of a part of an unpacked section. */
export function numbersOf(bytes: Uint8Array<ArrayBuffer>, part: Part): Numbers {
  return new kinds[part.type](bytes.buffer, bytes.byteOffset + part.offset, part.count);
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let n = 0; n < letters.length; ++n) bytes[n] = letters.charCodeAt(n);
  return bytes;
}

export async function unpacked(text: string): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytesOfBase64(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Keeps the sections that were used last. The first one stays. */
export class Sections {
  private readonly kept = new Map<number, Promise<Uint8Array<ArrayBuffer>>>();

  constructor(
    private readonly textOf: (section: number) => string,
    private readonly most = 64,
  ) {}

  section(number: number): Promise<Uint8Array<ArrayBuffer>> {
    const found = this.kept.get(number) ?? unpacked(this.textOf(number));
    this.kept.delete(number);
    this.kept.set(number, found);
    this.forgetOldest();
    return found;
  }

  async numbers(part: Part): Promise<Numbers> {
    return numbersOf(await this.section(part.section), part);
  }

  private forgetOldest(): void {
    for (const number of this.kept.keys()) {
      if (this.kept.size <= this.most) return;
      if (number !== 0) this.kept.delete(number);
    }
  }
}

export function sectionsOfPage(): Sections {
  return new Sections((section) => document.getElementById(`section-${String(section)}`)?.textContent ?? "");
}
