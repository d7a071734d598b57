// SPDX-License-Identifier: BSD-3-Clause
// Light or dark: as the system says until the user chooses. Canvases must be told, as styles do not reach them.
import type { Colour } from "./palette.ts";

export interface Theme {
  background: Colour;
  line: string;
  text: string;
  quiet: string;
}

const listeners: (() => void)[] = [];

export function onTheme(listener: () => void): void {
  listeners.push(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}

const systemDark = matchMedia("(prefers-color-scheme: dark)");
systemDark.addEventListener("change", tell);

function setTheme(theme: string | undefined): void {
  if (theme === undefined) delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  tell();
}

export function toggleTheme(): void {
  const now = document.documentElement.dataset.theme ?? (systemDark.matches ? "dark" : "light");
  setTheme(now === "dark" ? "light" : "dark");
}

/** Paper is white, and folded parts cannot be opened on it. */
export function preparePrinting(): void {
  let before: string | undefined;
  let opened: HTMLDetailsElement[] = [];
  window.addEventListener("beforeprint", () => {
    before = document.documentElement.dataset.theme;
    opened = [...document.querySelectorAll<HTMLDetailsElement>("details.print:not([open])")];
    for (const part of opened) part.open = true;
    setTheme("light");
  });
  window.addEventListener("afterprint", () => {
    for (const part of opened) part.open = false;
    setTheme(before);
  });
}

function colourOf(hex: string): Colour {
  const number = Number.parseInt(hex.slice(1), 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}

export function themeNow(): Theme {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string): string => style.getPropertyValue(name).trim();
  return { background: colourOf(value("--panel")), line: value("--line"), text: value("--text"), quiet: value("--quiet") };
}
