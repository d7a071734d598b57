// SPDX-License-Identifier: BSD-3-Clause
// Lines of a plot: of a curve its mean, its most, its limit.
import type { Curve } from "../data/facts.ts";
import type { Sections } from "../data/sections.ts";
import { type Colour, kindOf } from "../ui/palette.ts";

export interface PlotLine {
  label: string;
  colour: Colour;
  values: Float32Array;
  dash?: number[];
  width: number;
}

const plain: Colour[] = [[0, 114, 178], [0, 158, 115], [204, 121, 167]];
const mostColour: Colour = [213, 94, 0];
const limitColour: Colour = [140, 140, 140];

export async function linesOf(curve: Curve, number: number, sections: Sections): Promise<PlotLine[]> {
  const mean = await sections.floats(curve.mean);
  const colour = curve.cause ? kindOf(curve.cause).colour : plain[number % plain.length];
  const lines: PlotLine[] = [{ label: curve.most ? `${curve.name}, mean` : curve.name, colour, values: mean, width: 1.5 }];
  if (curve.most) lines.push({ label: `${curve.name}, most`, colour: mostColour, values: await sections.floats(curve.most), width: 1 });
  if (curve.limit !== null) lines.push({ label: "limit", colour: limitColour, values: new Float32Array(mean.length).fill(curve.limit), width: 1.5, dash: [7, 4] });
  return lines;
}
