// SPDX-License-Identifier: BSD-3-Clause
// Pages of small plans, written by foretile before the tests.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = new URL("../../..", import.meta.url).pathname;
const foretile = process.env.FORETILE ?? join(root, "build/release/foretile");
const folder = join(tmpdir(), "foretile-report-pages");

export const evil = "<script>document.title='broken'</script>";

const pages: Record<string, string[]> = {
  plain: ["c12", "--platform", "summit", "--ranks", "4"],
  two: ["c12", "c12", "--platform", "summit", "--ranks", "2"],
  program: [join(root, "examples/ccsd_t2.txt"), "--o", "20", "--v", "60", "--tile", "20", "--platform", "summit", "--nodes", "2"],
};

export const page = (name: string): string => `file://${join(folder, `${name}.html`)}`;

const run = (...words: string[]): string => execFileSync(foretile, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

/** What the program says of the plan of page "plain". */
export function simulated(): Record<string, unknown> {
  return JSON.parse(run("simulate", ...pages.plain, "--engine", "fluid", "--json")) as Record<string, unknown>;
}

/** A page whose problem has a name that must not become markup. */
function writeEvil(): void {
  const text = readFileSync(join(folder, "plain.html"), "utf8");
  const escaped = evil.replaceAll("<", "\\u003c");
  writeFileSync(join(folder, "evil.html"), text.replaceAll('"problem":"c12"', `"problem":"${escaped}"`));
}

export default function writePages(): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, words] of Object.entries(pages)) run("report", ...words, "-o", join(folder, `${name}.html`));
  writeEvil();
}
