// SPDX-License-Identifier: BSD-3-Clause

/** As shown, and as a number of the CSV where that differs. */
export type Cell = string | { shown: string; value: number };

export const shown = (cell: Cell): string => (typeof cell === "string" ? cell : cell.shown);

function field(cell: Cell): string {
  if (typeof cell !== "string") return String(cell.value);
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** RFC 4180, but lines end as Unix lines do. */
export function csvOf(head: string[], rows: Cell[][]): string {
  return [head, ...rows].map((row) => row.map(field).join(",")).join("\n") + "\n";
}

/** A browser that keeps its clipboard from local files gets a download. */
export async function copyOrDownload(text: string): Promise<"Copied" | "Saved"> {
  try {
    await navigator.clipboard.writeText(text);
    return "Copied";
  } catch {
    download(text);
    return "Saved";
  }
}

function download(text: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = "table.csv";
  link.click();
  URL.revokeObjectURL(link.href);
}
