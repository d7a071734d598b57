// SPDX-License-Identifier: BSD-3-Clause
// Canvases with as many pixels as the screen has.

export interface Surface {
  context: CanvasRenderingContext2D;
  /** CSS pixels. */
  width: number;
  height: number;
  /** Screen pixels of a CSS pixel. */
  ratio: number;
}

export function setSize(canvas: HTMLCanvasElement, width: number, height: number): void {
  const ratio = devicePixelRatio;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${String(width)}px`;
  canvas.style.height = `${String(height)}px`;
}

/** Empty, to be drawn on in CSS pixels. */
export function cleared(canvas: HTMLCanvasElement): Surface | undefined {
  const context = canvas.getContext("2d");
  if (!context) return undefined;
  const ratio = devicePixelRatio;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = "11px system-ui, sans-serif";
  context.clearRect(0, 0, canvas.width, canvas.height);
  return { context, width: canvas.width / ratio, height: canvas.height / ratio, ratio };
}
