// SPDX-License-Identifier: BSD-3-Clause

/** "C(2,5) k 3" of a product, "A(2,3)" of a copy; i, j, k are -1 where there is none. */
export function tileText(i: number, j: number, k: number): string {
  const pair = (name: string, row: number, column: number): string => `${name}(${String(row)},${String(column)})`;
  if (i >= 0 && j >= 0) return pair("C", i, j) + (k >= 0 ? ` k ${String(k)}` : "");
  if (i >= 0 && k >= 0) return pair("A", i, k);
  if (k >= 0 && j >= 0) return pair("B", k, j);
  const single: [string, number][] = [["i", i], ["j", j], ["k", k]];
  return single.filter(([, index]) => index >= 0).map(([name, index]) => `${name} ${String(index)}`).join(" ");
}
