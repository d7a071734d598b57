// SPDX-License-Identifier: BSD-3-Clause
// What all tests of the page need.
import { type Locator, type Page, expect } from "@playwright/test";
import type { Facts } from "../src/data/facts.ts";
import { addressOf, factsOf } from "./pages.ts";

function faultsOf(page: Page): string[] {
  const faults: string[] = [];
  page.on("console", (message) => faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("request", (request) => {
    if (!/^(file|blob):/.test(request.url())) faults.push(`asks for ${request.url()}`);
  });
  return faults;
}

/** Opens a page that is quiet: no message, no error, no request. */
export async function open(page: Page, name: string): Promise<Facts> {
  const facts = factsOf(name);
  const faults = faultsOf(page);
  await page.goto(addressOf(name));
  await page.waitForSelector("html[data-ready]");
  expect(faults).toEqual([]);
  return facts;
}

/** How many colours a canvas has. */
export const coloursOf = (canvas: Locator): Promise<number> =>
  canvas.evaluate((node) => {
    const one = node as HTMLCanvasElement;
    const { data } = one.getContext("2d")?.getImageData(0, 0, one.width, one.height) ?? { data: new Uint8ClampedArray() };
    return new Set(new Uint32Array(data.buffer)).size;
  });

export const pictureOf = (canvas: Locator): Promise<string> => canvas.evaluate((node) => (node as HTMLCanvasElement).toDataURL());

/** Until what was asked for is drawn: a frame, and blocks that are read for it. */
export const settled = (page: Page): Promise<void> => page.waitForTimeout(250);

export const panel = (page: Page, title: string | RegExp): Locator => page.locator("section.panel", { has: page.getByRole("heading", { level: 2, name: title }) });
