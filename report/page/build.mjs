// SPDX-License-Identifier: BSD-3-Clause
// Packs src/ into ../packed/page.html: one file, in which a browser may run nothing but its script.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const here = (path) => new URL(path, import.meta.url);

async function packed(entry, loader) {
  const result = await build({
    entryPoints: [here(entry).pathname],
    bundle: true,
    minify: true,
    write: false,
    target: "es2022",
    format: "iife",
    legalComments: "none",
    loader,
  });
  return result.outputFiles[0].text.trim();
}

const script = await packed("src/main.ts", {});
const style = await packed("src/ui/style.css", {});
const uplot = readFileSync(here("node_modules/uplot/LICENSE"), "utf8").trim();
if (/<\/script/i.test(script)) throw new Error("the script would end itself");
const hash = createHash("sha256").update(script).digest("base64");
const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'`;
const parts = { policy, style, script, licence: `curves are drawn by uPlot:\n${uplot}` };
const page = readFileSync(here("src/page.html"), "utf8").replace(/\{\{(\w+)\}\}/g, (_, name) => parts[name]);
writeFileSync(here("../packed/page.html"), page);
console.log(`packed/page.html: ${page.length} characters`);
