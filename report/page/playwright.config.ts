// SPDX-License-Identifier: BSD-3-Clause
// Tests of the packed page: run "npm run build" before.
import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "browser",
  workers: 1,
  reporter: "line",
  timeout: 60_000,
  use: {
    launchOptions: { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] },
    viewport: { width: 1400, height: 1000 },
  },
});
