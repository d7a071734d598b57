// SPDX-License-Identifier: BSD-3-Clause
// FORETILE names the program that writes the pages; by default that of build/release.
import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "browser",
  globalSetup: "./browser/pages.ts",
  workers: 1,
  reporter: "line",
  timeout: 60_000,
  use: {
    launchOptions: { executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] },
    viewport: { width: 1400, height: 1000 },
  },
});
