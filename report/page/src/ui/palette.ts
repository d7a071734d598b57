// SPDX-License-Identifier: BSD-3-Clause
// Colours that people with colour vision deficiency can tell apart: Okabe and Ito, "Color Universal Design", 2008,
// https://jfly.uni-koeln.de/color/

export type Colour = readonly [red: number, green: number, blue: number];

export interface Kind {
  cause: string;
  name: string;
  /** Of one operation. */
  one: string;
  colour: Colour;
}

const other: Kind = { cause: "wait", name: "waiting", one: "wait", colour: [140, 140, 140] };

export const kinds: readonly Kind[] = [
  { cause: "kernel", name: "products", one: "product", colour: [0, 158, 115] },
  { cause: "generate", name: "generation", one: "generation", colour: [230, 159, 0] },
  { cause: "h2d", name: "copies, host to device", one: "copy, host to device", colour: [86, 180, 233] },
  { cause: "d2d", name: "copies, device to device", one: "copy, device to device", colour: [0, 114, 178] },
  { cause: "d2h", name: "copies, device to host", one: "copy, device to host", colour: [204, 121, 167] },
  { cause: "network", name: "messages", one: "message", colour: [213, 94, 0] },
  other,
  { cause: "combine", name: "additions and tasks", one: "addition or task", colour: [178, 160, 40] },
];

/** Of tile rows or columns, one after the other; the last one: no tile. */
export const tileColours: readonly Colour[] = [...kinds.filter((kind) => kind !== other).map(({ colour }) => colour), [110, 90, 190], other.colour];

/** The kind of most operations on lanes of this name. */
const causeOfLane: Record<string, string> = {
  generation: "generate",
  messages: "network",
  kernels: "kernel",
  loads: "h2d",
  stores: "d2h",
  additions: "combine",
};

export function kindOf(cause: string): Kind {
  return kinds.find((kind) => kind.cause === cause) ?? other;
}

export const kindOfLane = (name: string): Kind => kindOf(causeOfLane[name] ?? "");

export const css = ([red, green, blue]: Colour): string => `rgb(${String(red)} ${String(green)} ${String(blue)})`;

export const mixed = (from: Colour, to: Colour, share: number): Colour => [
  Math.round(from[0] + share * (to[0] - from[0])),
  Math.round(from[1] + share * (to[1] - from[1])),
  Math.round(from[2] + share * (to[2] - from[2])),
];

/** Relative luminance as in WCAG 2.2. */
function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Black or white, whichever has more contrast. */
export const inkOn = (colour: Colour): string => (luminance(colour) > 0.18 ? "#000" : "#fff");
