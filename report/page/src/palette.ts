// SPDX-License-Identifier: BSD-3-Clause
// Colours that people with colour vision deficiency can tell apart: Okabe and Ito, "Color Universal Design", 2008,
// https://jfly.uni-koeln.de/color/
export interface Kind {
  cause: string;
  name: string;
  colour: [number, number, number];
}

export const kinds: Kind[] = [
  { cause: "kernel", name: "products", colour: [0, 158, 115] },
  { cause: "generate", name: "generation", colour: [230, 159, 0] },
  { cause: "h2d", name: "host to device", colour: [86, 180, 233] },
  { cause: "d2d", name: "device to device", colour: [0, 114, 178] },
  { cause: "d2h", name: "device to host", colour: [204, 121, 167] },
  { cause: "network", name: "messages", colour: [213, 94, 0] },
  { cause: "wait", name: "waiting", colour: [140, 140, 140] },
  { cause: "combine", name: "additions and tasks", colour: [170, 150, 30] },
];

export const css = ([red, green, blue]: [number, number, number]): string =>
  `rgb(${String(red)} ${String(green)} ${String(blue)})`;

/** The kind of most operations on lanes of this name. */
export const causeOfLane: Record<string, string> = {
  generation: "generate",
  messages: "network",
  kernels: "kernel",
  loads: "h2d",
  stores: "d2h",
  additions: "combine",
};

export function kindOf(cause: string): Kind {
  return kinds.find((kind) => kind.cause === cause) ?? kinds[6];
}
