// SPDX-License-Identifier: BSD-3-Clause
// Operations of a lane, as report/timeline.hpp encodes them.
import { VarintReader } from "./varint.ts";

/** Columns of equal length; times in ticks. */
export interface Operations {
  start: Float64Array;
  end: Float64Array;
  cause: Uint8Array;
  i: Int32Array;
  j: Int32Array;
  k: Int32Array;
  products: Int32Array;
  bytes: Float64Array;
}

function differences<Column extends Int32Array | Float64Array>(reader: VarintReader, column: Column): Column {
  let value = 0;
  for (let n = 0; n < column.length; ++n) column[n] = value += reader.signed();
  return column;
}

export function decodedBlock(bytes: Uint8Array, offset: number, count: number, first: number): Operations {
  const reader = new VarintReader(bytes, offset);
  const start = new Float64Array(count);
  const end = new Float64Array(count);
  const cause = new Uint8Array(count);
  for (let n = 0; n < count; ++n) start[n] = reader.unsigned();
  let before = first;
  for (let n = 0; n < count; ++n) {
    start[n] += before;
    before = end[n] = start[n] + reader.unsigned();
  }
  for (let n = 0; n < count; ++n) cause[n] = reader.unsigned();
  return {
    start,
    end,
    cause,
    i: differences(reader, new Int32Array(count)),
    j: differences(reader, new Int32Array(count)),
    k: differences(reader, new Int32Array(count)),
    products: differences(reader, new Int32Array(count)),
    bytes: differences(reader, new Float64Array(count)),
  };
}

/** The last operation that starts at or before the time; -1: none does. */
export function operationBefore(operations: Operations, tick: number): number {
  let low = 0;
  let high = operations.start.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (operations.start[middle] <= tick) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
