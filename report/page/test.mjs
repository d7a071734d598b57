// SPDX-License-Identifier: BSD-3-Clause
// Bundles test/*.test.ts and runs them by node's own runner.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const here = (path) => new URL(path, import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "foretile-page-"));
await build({
  entryPoints: readdirSync(here("test")).filter((name) => name.endsWith(".test.ts")).map((name) => here(`test/${name}`)),
  bundle: true,
  platform: "node",
  format: "esm",
  outExtension: { ".js": ".mjs" },
  outdir: folder,
});
const done = spawnSync(process.execPath, ["--test", folder + "/"], { stdio: "inherit" });
rmSync(folder, { recursive: true });
process.exit(done.status ?? 1);
