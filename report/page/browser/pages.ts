// SPDX-License-Identifier: BSD-3-Clause
// Pages that the tests open, of made-up runs.
import { mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Facts } from "../src/data/facts.ts";
import { type MadePage, type Size, madePage } from "../test/make-page.ts";

const folder = join(tmpdir(), "foretile-report-pages");

export const evil = "<script>document.title='broken'</script>";

const small: Size = { seed: 1, nodes: 2, ranksPerNode: 2, devicesPerRank: 3, operations: 300, bins: 512 };

const pages: Record<string, () => MadePage> = {
  plain: () => madePage(small, { tunings: 1 }),
  two: () => madePage({ ...small, seed: 2 }, { works: 2 }),
  search: () => madePage(small, { works: 0, tunings: 1 }),
  evil: () => madePage({ ...small, operations: 10 }, { problem: evil }),
  many: () => madePage({ seed: 3, nodes: 2500, ranksPerNode: 2, devicesPerRank: 3, operations: 2, bins: 70 }),
  large: () => madePage({ seed: 4, nodes: 19, ranksPerNode: 2, devicesPerRank: 3, operations: 8800, bins: 1024 }),
};

export const addressOf = (name: string): string => `file://${join(folder, `${name}.html`)}`;

const made = new Map<string, Facts>();

/** Written where a test asks for it first. */
export function factsOf(name: string): Facts {
  const found = made.get(name);
  if (found) return found;
  const { html, facts } = pages[name]();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.html`), html);
  made.set(name, facts);
  return facts;
}
