// SPDX-License-Identifier: BSD-3-Clause
// Moves in the timeline.
import { type Locator, type Page, expect, test } from "@playwright/test";
import { coloursOf, open, panel, pictureOf, settled } from "./open.ts";

const details = (page: Page): Locator => panel(page, "Timeline").locator(".details");

async function find(page: Page, text: string): Promise<void> {
  await page.getByLabel("Find a rank, a device or a tile").fill(text);
  await page.keyboard.press("Enter");
}

test("a search shows one operation, and the pointer says the same", async ({ page }) => {
  await open(page, "plain");
  await find(page, "rank 0 device 1 i=2");
  await expect(details(page)).toContainText("rank 0 device 1");
  await expect(details(page)).toContainText(/[CA]\(2,\d+\)/);
  await settled(page);
  await page.locator("canvas.rows").scrollIntoViewIfNeeded();
  const name = page.locator(".name.selected");
  const row = await name.boundingBox();
  const canvas = await page.locator("canvas.rows").boundingBox();
  if (!row || !canvas) throw new Error("nothing is selected");
  await page.mouse.move(canvas.x + canvas.width / 2, row.y + row.height / 2);
  const tooltip = page.getByRole("tooltip");
  await expect(tooltip).toBeVisible();
  const shown = async (place: Locator): Promise<string[]> => place.locator("dd").allTextContents();
  expect(await shown(tooltip)).toEqual(await shown(details(page)));
});

test("Enter again finds the next one", async ({ page }) => {
  await open(page, "plain");
  await find(page, "C(2,5)");
  await expect(details(page)).toContainText("C(2,5)");
  const first = await details(page).textContent();
  await page.keyboard.press("Enter");
  await expect(details(page)).not.toHaveText(first ?? "");
  await expect(details(page)).toContainText("C(2,5)");
});

test("a search for a rank selects its row, nonsense is answered", async ({ page }) => {
  await open(page, "plain");
  await find(page, "rank 3");
  await expect(page.locator(".name.selected")).toHaveText(/rank 3/);
  await find(page, "nonsense");
  await expect(page.locator(".search [role=status]")).toContainText('Try "rank 3"');
  await find(page, "rank 77");
  await expect(page.locator(".search [role=status]")).toContainText("There is no rank 77");
});

test("keys step through the operations of a lane, Escape closes", async ({ page }) => {
  await open(page, "plain");
  await find(page, "rank 1 device 0 i=2");
  await expect(details(page)).toContainText("rank 1 device 0");
  const first = await details(page).textContent();
  await page.locator("canvas.rows").focus();
  await page.keyboard.press("n");
  await expect(details(page)).not.toHaveText(first ?? "");
  await page.keyboard.press("p");
  await expect(details(page)).toHaveText(first ?? "");
  await page.keyboard.press("Escape");
  await expect(details(page)).toHaveText("");
});

test("keys zoom, pan and show all", async ({ page }) => {
  await open(page, "plain");
  const rows = page.locator("canvas.rows");
  await rows.focus();
  await settled(page);
  const all = await pictureOf(rows);
  for (const key of ["+", "ArrowRight", "-"]) {
    const before = await pictureOf(rows);
    await page.keyboard.press(key);
    await settled(page);
    expect(await pictureOf(rows), key).not.toBe(before);
  }
  await page.keyboard.press("0");
  await settled(page);
  expect(await pictureOf(rows)).toBe(all);
});

test("arrows choose a row and say its shares", async ({ page }) => {
  await open(page, "plain");
  await page.locator("canvas.rows").focus();
  await page.keyboard.press("ArrowDown");
  await expect(page.locator(".name.selected")).toHaveText(/rank 0/);
  await expect(details(page)).toContainText(/kernels\d+(\.\d)?% busy/);
  await page.keyboard.press("Enter");
  await expect(page.locator(".names")).not.toContainText("rank 0 device");
});

test("the wheel zooms where the timeline has the focus, and else scrolls", async ({ page }) => {
  await open(page, "plain");
  const [rows, axis] = [page.locator("canvas.rows"), page.locator("canvas.axis")];
  await rows.hover();
  const before = await pictureOf(axis);
  await page.mouse.wheel(0, -200);
  await settled(page);
  expect(await pictureOf(axis)).toBe(before);
  await rows.focus();
  await rows.hover();
  await page.mouse.wheel(0, -200);
  await settled(page);
  expect(await pictureOf(axis)).not.toBe(before);
});

test("the overview moves what is shown", async ({ page }) => {
  await open(page, "plain");
  const axis = page.locator("canvas.axis");
  await page.getByRole("button", { name: "Zoom in" }).click();
  await settled(page);
  const before = await pictureOf(axis);
  await page.locator("canvas.minimap").click({ position: { x: 40, y: 20 } });
  await settled(page);
  expect(await pictureOf(axis)).not.toBe(before);
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
  for (const box of await panel(page, "Timeline").locator(".legend input").all()) await box.uncheck();
  await settled(page);
  expect(await coloursOf(rows)).toBeLessThan(before / 10);
});

test("colours can be those of tiles", async ({ page }) => {
  await open(page, "plain");
  const rows = page.locator("canvas.rows");
  await find(page, "rank 0 device 1 i=2");
  await settled(page);
  const before = await pictureOf(rows);
  await page.getByLabel("Colour by").selectOption("tile row i");
  await settled(page);
  expect(await pictureOf(rows)).not.toBe(before);
});

test("60,000 lanes scroll", async ({ page }) => {
  await open(page, "many");
  await page.getByRole("button", { name: "Unfold" }).click();
  const scroller = page.locator(".scroller");
  await scroller.evaluate((node) => (node.scrollTop = node.scrollHeight));
  await expect(page.locator(".names")).toContainText("rank 4999");
  await find(page, "rank 4321 device 2");
  await expect(page.locator(".name.selected")).toBeVisible();
  await expect(page.locator(".names")).toContainText("device 2 kernels");
  expect(await coloursOf(page.locator("canvas.rows"))).toBeGreaterThan(50);
});
