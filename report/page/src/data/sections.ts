// SPDX-License-Identifier: BSD-3-Clause
// Sections of numbers: base64 and zlib, unpacked when they are asked for.
import type { Part } from "./facts.ts";
import { Recent } from "./recent.ts";

export type Bytes = Uint8Array<ArrayBuffer>;

const mostSections = 64;

/** A part of a section may begin anywhere in the buffer of `bytes`, at a multiple of its numbers' size. */
const u8 = (bytes: Bytes, part: Part): Uint8Array => bytes.subarray(part.offset, part.offset + part.count);
const i32 = (bytes: Bytes, part: Part): Int32Array => new Int32Array(bytes.buffer, bytes.byteOffset + part.offset, part.count);
const f32 = (bytes: Bytes, part: Part): Float32Array => new Float32Array(bytes.buffer, bytes.byteOffset + part.offset, part.count);
const f64 = (bytes: Bytes, part: Part): Float64Array => new Float64Array(bytes.buffer, bytes.byteOffset + part.offset, part.count);

function bytesOfBase64(text: string): Bytes {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let n = 0; n < letters.length; ++n) bytes[n] = letters.charCodeAt(n);
  return bytes;
}

export async function unpacked(text: string): Promise<Bytes> {
  const stream = new Blob([bytesOfBase64(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export class Sections {
  private readonly recent: Recent<number, Promise<Bytes>>;

  constructor(
    private readonly textOf: (section: number) => string,
    most = mostSections,
  ) {
    this.recent = new Recent(most);
  }

  section(number: number): Promise<Bytes> {
    const found = this.recent.get(number) ?? unpacked(this.textOf(number));
    this.recent.set(number, found);
    return found;
  }

  bytes(part: Part): Promise<Uint8Array> {
    return this.read(part, "u8", u8);
  }

  integers(part: Part): Promise<Int32Array> {
    return this.read(part, "i32", i32);
  }

  floats(part: Part): Promise<Float32Array> {
    return this.read(part, "f32", f32);
  }

  doubles(part: Part): Promise<Float64Array> {
    return this.read(part, "f64", f64);
  }

  private async read<Numbers>(part: Part, type: Part["type"], view: (bytes: Bytes, part: Part) => Numbers): Promise<Numbers> {
    if (part.type !== type) throw new Error(`numbers of type ${part.type} where ${type} are expected`);
    return view(await this.section(part.section), part);
  }
}

export function sectionsOfPage(): Sections {
  return new Sections((section) => document.getElementById(`section-${String(section)}`)?.textContent ?? "");
}
