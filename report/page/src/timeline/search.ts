// SPDX-License-Identifier: BSD-3-Clause
// What a user looks for: "rank 3 device 1", "C(2,5)", "i=2 j=5".

export interface Wanted {
  rank?: number;
  device?: number;
  i?: number;
  j?: number;
  k?: number;
}

/** Undefined: nothing that is understood. */
export function parsedSearch(text: string): Wanted | undefined {
  const wanted: Wanted = {};
  for (const name of ["rank", "device"] as const) {
    const found = new RegExp(`\\b${name}\\s*=?\\s*(\\d+)`, "i").exec(text);
    if (found) wanted[name] = Number(found[1]);
  }
  for (const name of ["i", "j", "k"] as const) {
    const found = new RegExp(`\\b${name}\\s*=?\\s*(\\d+)`, "i").exec(text);
    if (found) wanted[name] = Number(found[1]);
  }
  const tile = /\b([ABC])\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)/i.exec(text);
  if (tile) Object.assign(wanted, tileIndices(tile[1].toUpperCase(), Number(tile[2]), Number(tile[3])));
  return Object.keys(wanted).length > 0 ? wanted : undefined;
}

/** A has rows i and columns k, B rows k and columns j, C rows i and columns j. */
function tileIndices(matrix: string, row: number, column: number): Wanted {
  if (matrix === "A") return { i: row, k: column };
  return matrix === "B" ? { k: row, j: column } : { i: row, j: column };
}

export const namesTile = (wanted: Wanted): boolean => wanted.i !== undefined || wanted.j !== undefined || wanted.k !== undefined;
