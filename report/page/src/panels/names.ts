// SPDX-License-Identifier: BSD-3-Clause
// What keys of the report are called on the page.

export const busyNames: Partial<Record<string, { name: string; of: string }>> = {
  kernels: { name: "products", of: "devices" },
  h2d: { name: "copies, host to device", of: "devices" },
  d2d: { name: "copies, device to device", of: "devices" },
  d2h: { name: "copies, device to host", of: "devices" },
  generation: { name: "generation", of: "cores" },
  network: { name: "sending", of: "ranks" },
  combining: { name: "additions", of: "ranks" },
};

export const byteNames: Record<string, string> = {
  network: "messages between ranks",
  between_nodes: "of these between nodes",
  within_nodes: "of these within nodes",
  h2d: "host to devices",
  d2d: "between devices",
  d2h: "devices to host",
  generated: "generated",
};
