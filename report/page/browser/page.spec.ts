// SPDX-License-Identifier: BSD-3-Clause
import { AxeBuilder } from "@axe-core/playwright";
import { type Locator, type Page, expect, test } from "@playwright/test";
import { quantity } from "../src/units.ts";
import { evil, page as pageOf, simulated } from "./pages.ts";

async function open(page: Page, name: string): Promise<void> {
  const faults: string[] = [];
  page.on("console", (message) => faults.push(message.text()));
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith("file:") && !request.url().startsWith("blob:")) faults.push(`asks for ${request.url()}`);
  });
  await page.goto(pageOf(name));
  await page.waitForSelector("html[data-ready]");
  expect(faults).toEqual([]);
}

/** How many colours a canvas has. */
const coloursOf = (canvas: Locator): Promise<number> =>
  canvas.evaluate((node) => {
    const one = node as HTMLCanvasElement;
    const { data } = one.getContext("2d")?.getImageData(0, 0, one.width, one.height) ?? { data: new Uint8ClampedArray() };
    return new Set(new Uint32Array(data.buffer)).size;
  });

const panel = (page: Page, title: string): Locator => page.locator("section", { has: page.getByRole("heading", { name: new RegExp(`^${title}`) }) });

test("the answer has the numbers of --json", async ({ page }) => {
  await open(page, "plain");
  const json = simulated();
  const facts = panel(page, "c12").locator("dl");
  await expect(facts).toContainText(`Time${quantity(json.makespan_s as number, "s")}`);
  await expect(facts).toContainText(quantity(json.flops_per_s as number, "flop/s"));
  await expect(facts).toContainText(`Bound of this plan${quantity(json.bound_s as number, "s")}`);
  await expect(facts).toContainText(`Bound of any plan${quantity(json.problem_bound_s as number, "s")}`);
  await expect(facts).toContainText(quantity((json.peak_device_bytes as { max: number }).max, "B"));
  await expect(panel(page, "c12").locator(".answers li").first()).toContainText("critical path");
});

test("tables have the numbers of --json", async ({ page }) => {
  await open(page, "plain");
  const json = simulated();
  const where = panel(page, "Where the time goes");
  const limits = json.limits as Record<string, number>;
  await expect(where.getByRole("row", { name: /^host to device / })).toContainText(quantity(limits.h2d, "s"));
  const bytes = json.bytes as Record<string, number>;
  await expect(where.getByRole("row", { name: /^between ranks/ })).toContainText(quantity(bytes.network, "B"));
  await expect(where.getByRole("row", { name: /^generated/ })).toContainText(quantity(bytes.generated, "B"));
  expect(await coloursOf(where.locator("canvas.heat"))).toBeGreaterThan(5);
});

test("the timeline and its overview have pictures", async ({ page }) => {
  await open(page, "plain");
  const timeline = panel(page, "Timeline");
  expect(await coloursOf(timeline.locator("canvas.rows"))).toBeGreaterThan(20);
  expect(await coloursOf(timeline.locator("canvas.minimap"))).toBeGreaterThan(5);
  expect(await coloursOf(timeline.locator("canvas.axis"))).toBeGreaterThan(1);
  await expect(timeline.locator(".names")).toContainText("node 0");
  await expect(timeline.locator(".names")).toContainText("device 0 kernels");
});

test("curves are drawn", async ({ page }) => {
  await open(page, "plain");
  const plots = panel(page, "Over time").locator(".plot canvas");
  await expect(plots).toHaveCount(3);
  for (const plot of await plots.all()) expect(await coloursOf(plot)).toBeGreaterThan(10);
});

test("a search shows one operation, and keys step to the next", async ({ page }) => {
  await open(page, "plain");
  const details = panel(page, "Timeline").locator(".details");
  await page.getByLabel("Find a rank, device or tile").fill("rank 1 device 0 i=2");
  await page.keyboard.press("Enter");
  await expect(details).toContainText("rank 1, device 0");
  await expect(details).toContainText("i 2,");
  const first = await details.textContent();
  await page.locator("canvas.rows").focus();
  await page.keyboard.press("n");
  await expect(details).not.toHaveText(first ?? "");
  await page.keyboard.press("p");
  await expect(details).toHaveText(first ?? "");
  await page.getByLabel("Find a rank, device or tile").fill("nonsense");
  await page.keyboard.press("Enter");
  await expect(details).toContainText("names no rank, device or tile");
});

test("keys zoom, pan and show all", async ({ page }) => {
  await open(page, "plain");
  const rows = page.locator("canvas.rows");
  const picture = (): Promise<string> => rows.evaluate((node) => (node as HTMLCanvasElement).toDataURL());
  const settle = (): Promise<void> => page.waitForTimeout(200);
  await rows.focus();
  const all = await picture();
  for (const key of ["+", "ArrowRight", "-"]) {
    const before = await picture();
    await page.keyboard.press(key);
    await settle();
    expect(await picture()).not.toBe(before);
  }
  await page.keyboard.press("0");
  await settle();
  expect(await picture()).toBe(all);
});

test("rows fold and unfold", async ({ page }) => {
  await open(page, "plain");
  const names = page.locator(".names");
  await page.getByRole("button", { name: "Fold", exact: true }).click();
  await expect(names).not.toContainText("rank 0");
  await names.getByRole("button", { name: "node 1" }).click();
  await expect(names).toContainText("rank 2");
  await expect(names).not.toContainText("rank 0");
});

test("hidden work is not drawn", async ({ page }) => {
  await open(page, "plain");
  const rows = page.locator("canvas.rows");
  const before = await coloursOf(rows);
  for (const box of await page.locator(".legend input").all()) await box.uncheck();
  await page.waitForTimeout(200);
  expect(await coloursOf(rows)).toBeLessThan(before / 2);
});

test("several works are side by side", async ({ page }) => {
  await open(page, "two");
  const both = panel(page, "Side by side");
  await expect(both.getByRole("row", { name: /^time/ })).toContainText("(0.0%)");
  await expect(page.locator("canvas.rows")).toHaveCount(2);
});

test("a program has all panels", async ({ page }) => {
  await open(page, "program");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("ccsd_t2.txt");
  expect(await coloursOf(page.locator("canvas.rows"))).toBeGreaterThan(20);
  await expect(panel(page, "Where the time goes")).toContainText("Critical path");
  await expect(panel(page, "Over time").locator(".plot canvas").first()).toBeVisible();
});

test("names are text", async ({ page }) => {
  await open(page, "evil");
  await expect(page.getByRole("heading", { name: evil })).toBeVisible();
  expect(await page.title()).not.toBe("broken");
});

for (const scheme of ["light", "dark"] as const)
  test(`axe finds no serious fault, ${scheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme: scheme });
    await open(page, "plain");
    const found = await new AxeBuilder({ page }).analyze();
    expect(found.violations.filter(({ impact }) => impact === "serious" || impact === "critical").map(({ id, nodes }) => `${id}: ${nodes[0].html}`)).toEqual([]);
  });
