// SPDX-License-Identifier: BSD-3-Clause
// Pages that foretile writes; FORETILE names the program.
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@playwright/test";
import { quantity } from "../src/ui/units.ts";

const root = new URL("../../..", import.meta.url).pathname;
const foretile = process.env.FORETILE ?? join(root, "build/release/foretile");
const run = (...words: string[]): string => execFileSync(foretile, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

const cases: Record<string, string[]> = {
  problem: ["c12", "--platform", "summit", "--ranks", "4"],
  program: [join(root, "examples/ccsd_t2.txt"), "--o", "20", "--v", "60", "--tile", "20", "--platform", "summit", "--nodes", "2"],
};

for (const [name, words] of Object.entries(cases))
  test(`a page of a ${name} has the time of --json, and pictures`, async ({ page }) => {
    const file = join(tmpdir(), `foretile-report-real-${name}.html`);
    run("report", ...words, "-o", file);
    const { makespan_s } = JSON.parse(run("simulate", ...words, "--engine", "fluid", "--json")) as { makespan_s: number };
    const faults: string[] = [];
    page.on("console", (message) => faults.push(message.text()));
    page.on("pageerror", (error) => faults.push(error.message));
    await page.goto(`file://${file}`);
    await page.waitForSelector("html[data-ready]");
    expect(faults).toEqual([]);
    await expect(page.locator("main")).toContainText(quantity(makespan_s, "s"));
    const colours = await page.locator("canvas.rows").evaluate((node) => {
      const canvas = node as HTMLCanvasElement;
      const image = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(image?.data.buffer ?? new ArrayBuffer(0))).size;
    });
    expect(colours).toBeGreaterThan(20);
  });
