// SPDX-License-Identifier: BSD-3-Clause
// Each panel shows what the facts say.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { change, quantity } from "../src/ui/units.ts";
import { coloursOf, open, panel, settled } from "./open.ts";
import { evil } from "./pages.ts";

test("the header says what the page is of", async ({ page }) => {
  const facts = await open(page, "plain");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(facts.title);
  expect(await page.title()).toBe(facts.title);
  for (const text of [facts.program, facts.made, facts.command]) await expect(page.locator("header")).toContainText(text);
});

test("the answer has the numbers of the report", async ({ page }) => {
  const { works } = await open(page, "plain");
  const { report, answer, digest } = works[0];
  const panelOf = panel(page, "c12, simulated");
  const figures = panelOf.locator(".figures");
  for (const text of [`Time${quantity(report.makespan_s, "s")}`, quantity(report.flops_per_s ?? 0, "flop/s"), "Share of peak43%"]) await expect(figures).toContainText(text);
  await expect(figures).toContainText(`Bound of this plan${quantity(report.bound_s ?? 0, "s")}the time is 1.11 times that`);
  await expect(figures).toContainText(`Bound of any plan${quantity(report.problem_bound_s ?? 0, "s")}the time is 1.67 times that`);
  for (const text of ["12 GBof 16 GB (75%)", "51 kJ"]) await expect(figures).toContainText(text);
  await expect(panelOf.locator(".answers li")).toHaveCount(answer.length);
  await expect(panelOf).toContainText(digest);
});

test("what the report lacks is left out", async ({ page }) => {
  await open(page, "plain");
  await expect(panel(page, "c12, simulated")).not.toContainText("undefined");
  await expect(panel(page, "c12, simulated")).not.toContainText("NaN");
  await expect(panel(page, "c12, simulated")).not.toContainText("Engine");
});

test("the timeline and its overview have pictures", async ({ page }) => {
  await open(page, "plain");
  const timeline = panel(page, "Timeline");
  expect(await coloursOf(timeline.locator("canvas.rows"))).toBeGreaterThan(100);
  expect(await coloursOf(timeline.locator("canvas.minimap"))).toBeGreaterThan(20);
  expect(await coloursOf(timeline.locator("canvas.axis"))).toBeGreaterThan(5);
  await expect(timeline.locator(".names")).toContainText("node 0");
  await expect(timeline.locator(".names")).toContainText("device 0 kernels");
});

test("the table of lanes has all of them", async ({ page }) => {
  const { works } = await open(page, "plain");
  const timeline = panel(page, "Timeline");
  await timeline.getByText("The same as a table").click();
  await expect(timeline.locator("tbody tr")).toHaveCount(works[0].timeline?.lanes.count ?? 0);
});

test("curves are drawn, and say their values", async ({ page }) => {
  await open(page, "plain");
  const plots = panel(page, "Over time").locator(".plot");
  await expect(plots).toHaveCount(5);
  for (const plot of await plots.all()) expect(await coloursOf(plot.locator("canvas"))).toBeGreaterThan(10);
  const memory = plots.filter({ hasText: "Memory in use" });
  await memory.locator(".u-over").hover();
  await expect(memory.locator(".plot-legend")).toContainText("limit 16 GB");
});

test("curves follow the timeline", async ({ page }) => {
  await open(page, "plain");
  const canvas = panel(page, "Over time").locator(".plot canvas").first();
  const before = await canvas.evaluate((node) => (node as HTMLCanvasElement).toDataURL());
  await page.getByRole("button", { name: "Zoom in" }).click();
  await settled(page);
  expect(await canvas.evaluate((node) => (node as HTMLCanvasElement).toDataURL())).not.toBe(before);
});

test("a part marked in a curve is shown everywhere", async ({ page }) => {
  await open(page, "plain");
  const axis = panel(page, "Timeline").locator("canvas.axis");
  const before = await axis.evaluate((node) => (node as HTMLCanvasElement).toDataURL());
  const over = panel(page, "Over time").locator(".u-over").first();
  await over.hover({ position: { x: 100, y: 40 } });
  await page.mouse.down();
  await over.hover({ position: { x: 300, y: 40 } });
  await page.mouse.up();
  await settled(page);
  expect(await axis.evaluate((node) => (node as HTMLCanvasElement).toDataURL())).not.toBe(before);
});

test("tables have the numbers of the report", async ({ page }) => {
  const { works } = await open(page, "plain");
  const { limits = {}, bytes = {} } = works[0].report;
  const where = panel(page, "Where the time goes");
  await expect(where.getByRole("row", { name: `copies, host to device ${quantity(limits.h2d, "s")}` })).toBeVisible();
  await expect(where.getByRole("row", { name: /^messages between ranks/ })).toContainText(quantity(bytes.network, "B"));
  await expect(where.getByRole("row", { name: /^generated/ })).toContainText(quantity(bytes.generated, "B"));
  await expect(where.getByRole("row", { name: /^products devices/ })).toHaveText(/32%40%44%$/);
  await expect(where.locator(".bar-row").first()).toContainText("copies, host to device");
});

test("the map of devices has a colour for each share, and a table", async ({ page }) => {
  await open(page, "plain");
  const where = panel(page, "Where the time goes");
  expect(await coloursOf(where.locator("canvas.heat"))).toBeGreaterThan(8);
  await where.getByText("The same as a table").click();
  await expect(where.getByRole("row", { name: /^rank 3 2/ })).toBeVisible();
});

test("savings and guesses are shown", async ({ page }) => {
  await open(page, "plain");
  const helps = panel(page, "What helps");
  await expect(helps.getByRole("row", { name: /^host links together/ })).toContainText("30%");
  await expect(helps.getByRole("row", { name: /^nic.latency/ })).toContainText("7.0%");
});

test("the history of a search is shown", async ({ page }) => {
  const { tunings } = await open(page, "plain");
  const search = panel(page, "Search: history.jsonl");
  const best = Math.min(...tunings[0].evaluations.map(({ makespan_s }) => makespan_s ?? Infinity));
  await expect(search.locator("figure").first().locator("tbody tr").first()).toContainText(quantity(best, "s"));
  expect(await coloursOf(search.locator("canvas"))).toBeGreaterThan(10);
});

test("a search without a plan has a page", async ({ page }) => {
  await open(page, "search");
  await expect(page.locator("section.panel")).toHaveCount(1);
});

test("a table can be copied as CSV", async ({ page, context }) => {
  const { works } = await open(page, "plain");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const button = page.getByTitle('Copy the table "Bytes" as CSV');
  await button.click();
  await expect(button).toHaveText("Copied");
  const text = await page.evaluate(() => navigator.clipboard.readText());
  expect(text).toContain(`host to devices,${String(works[0].report.bytes?.h2d)}\n`);
});

test("two works are beside each other", async ({ page }) => {
  const { works } = await open(page, "two");
  const both = panel(page, "Predicted beside measured");
  const [one, other] = works.map(({ report }) => report.makespan_s);
  await expect(both.getByRole("row", { name: /^time/ })).toHaveText(`time${quantity(one, "s")}${quantity(other, "s")}${change(other / one)}`);
  await expect(both.getByRole("row", { name: /^messages between ranks/ })).toContainText("+10.0%");
  await expect(page.locator("canvas.rows")).toHaveCount(2);
  for (const canvas of await page.locator("canvas.rows").all()) expect(await coloursOf(canvas)).toBeGreaterThan(100);
});

test("two works have one time scale, and one can be hidden", async ({ page }) => {
  await open(page, "two");
  const second = page.locator("canvas.rows").nth(1);
  const before = await second.evaluate((node) => (node as HTMLCanvasElement).toDataURL());
  await page.locator("canvas.rows").first().focus();
  await page.keyboard.press("+");
  await settled(page);
  expect(await second.evaluate((node) => (node as HTMLCanvasElement).toDataURL())).not.toBe(before);
  await page.getByRole("checkbox", { name: "run.json, measured" }).uncheck();
  await expect(page.locator("canvas.rows").nth(1)).toBeHidden();
  await expect(panel(page, "c12, measured")).toBeHidden();
});

test("names are text", async ({ page }) => {
  await open(page, "evil");
  await expect(page.getByRole("heading", { level: 2, name: evil })).toBeVisible();
  expect(await page.title()).not.toBe("broken");
  expect(await page.locator("body script:not([id])").count()).toBe(1);
});

test("colours change with the theme", async ({ page }) => {
  await open(page, "plain");
  const rows = page.locator("canvas.rows");
  const light = await rows.evaluate((node) => (node as HTMLCanvasElement).toDataURL());
  await page.getByRole("button", { name: "Light or dark" }).click();
  await settled(page);
  expect(await rows.evaluate((node) => (node as HTMLCanvasElement).toDataURL())).not.toBe(light);
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

for (const scheme of ["light", "dark"] as const)
  for (const name of ["plain", "two"])
    test(`axe finds no serious fault, ${name}, ${scheme}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme: scheme });
      await open(page, name);
      for (const fold of await page.locator("summary").all()) await fold.click();
      const found = await new AxeBuilder({ page }).analyze();
      expect(found.violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => `${id}: ${nodes[0].html}`)).toEqual([]);
    });

test("all panels are on paper", async ({ page }) => {
  await open(page, "plain");
  await page.emulateMedia({ media: "print" });
  for (const part of await page.locator("section.panel").all()) await expect(part).toBeVisible();
  expect((await page.pdf()).length).toBeGreaterThan(50_000);
});
