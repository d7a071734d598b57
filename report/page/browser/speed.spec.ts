// SPDX-License-Identifier: BSD-3-Clause
// How fast the page is: figures to read. Only with REPORT_SPEED=1, since times decide no test.
import { type Page, test } from "@playwright/test";
import { open } from "./open.ts";
import { addressOf, factsOf } from "./pages.ts";

/** Milliseconds of each redraw: the page draws between two callbacks of the same frame. */
const redraws = (page: Page, keys: string[]): Promise<number[]> =>
  page.evaluate(async (pressed) => {
    const canvas = document.querySelector("canvas.rows");
    const times: number[] = [];
    for (const key of pressed)
      await new Promise<void>((done) => {
        let start = 0;
        requestAnimationFrame(() => (start = performance.now()));
        canvas?.dispatchEvent(new KeyboardEvent("keydown", { key }));
        requestAnimationFrame(() => {
          times.push(performance.now() - start);
          done();
        });
      });
    return times;
  }, keys);

const zooms = (count: number): string[] => [...Array<string>(count).fill("+"), ...Array<string>(count).fill("-")];

function report(name: string, times: number[]): void {
  const sorted = [...times].sort((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)];
  console.log(`${name}: redraw median ${median.toFixed(1)} ms, most ${sorted[sorted.length - 1].toFixed(1)} ms, ${(1000 / median).toFixed(0)} per second`);
}

test.skip(!process.env.REPORT_SPEED, "times decide no test");

test("three million operations", async ({ page }) => {
  test.setTimeout(180_000);
  const { works } = factsOf("large");
  const start = Date.now();
  await page.goto(addressOf("large"));
  await page.waitForSelector("html[data-ready]");
  const opened = Date.now() - start;
  console.log(`${String(works[0].timeline?.operations)} operations in ${String(works[0].timeline?.lanes.count)} lanes: opens in ${String(opened)} ms`);
  report("folded to ranks", await redraws(page, zooms(12)));
  await page.getByLabel("Find a rank, a device or a tile").fill("rank 5 device 1 i=2");
  await page.keyboard.press("Enter");
  await page.waitForTimeout(500);
  await redraws(page, ["0", ...zooms(12)]);
  report("single operations, with all plots", await redraws(page, zooms(12)));
});

test("60,000 lanes", async ({ page }) => {
  await open(page, "many");
  report("60,000 lanes", await redraws(page, zooms(12)));
});
