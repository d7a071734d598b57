// SPDX-License-Identifier: BSD-3-Clause
// Colours of operations, as numbers of ramps from the background to a colour.
import type { Operations } from "../data/blocks.ts";
import { type Colour, kindOf, kinds, mixed, tileColours } from "../ui/palette.ts";

export type Colouring = "kind" | "row" | "column";

/** The least that is there must be seen. */
const faintest = 0.18;

/** Little-endian pixels of ImageData. */
const pixelOf = ([red, green, blue]: Colour): number => (255 << 24) | (blue << 16) | (green << 8) | red;

function rampOf(background: Colour, colour: Colour): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, step) => pixelOf(mixed(background, colour, step === 0 ? 0 : faintest + ((1 - faintest) * step) / 255)));
}

export interface Ramps {
  kinds: Uint32Array[];
  tiles: Uint32Array[];
}

export function rampsOn(background: Colour): Ramps {
  return { kinds: kinds.map(({ colour }) => rampOf(background, colour)), tiles: tileColours.map((colour) => rampOf(background, colour)) };
}

export const kindNumber = (cause: string): number => kinds.indexOf(kindOf(cause));

export function tileNumber(index: number): number {
  return index < 0 ? tileColours.length - 1 : index % (tileColours.length - 1);
}

export function colourFunction(colouring: Colouring, operations: Operations, causes: string[], hidden: ReadonlySet<string>): (index: number) => number {
  const kindOfCause = causes.map((cause) => (hidden.has(kindOf(cause).cause) ? -1 : kindNumber(cause)));
  const { cause, i, j } = operations;
  if (colouring === "kind") return (index) => kindOfCause[cause[index]];
  const tile = colouring === "row" ? i : j;
  return (index) => (kindOfCause[cause[index]] < 0 ? -1 : tileNumber(tile[index]));
}

export const colourOf = (colouring: Colouring, number: number): Colour => (colouring === "kind" ? kinds[number].colour : tileColours[number]);
