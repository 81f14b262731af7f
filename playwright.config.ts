// Browser tests against a running site: WARPYARD_URL says where it is. `./dev test` starts one for them.
import { defineConfig } from "@playwright/test";

export default defineConfig({
  testDir: "tests/browser",
  outputDir: "target/browser-tests",
  timeout: 60_000,
  expect: { timeout: 20_000 },
  workers: 2,
  fullyParallel: true,
  forbidOnly: true,
  retries: 0,
  use: {
    baseURL: process.env.WARPYARD_URL ?? "http://127.0.0.1:8080",
    locale: "en-GB",
    viewport: { width: 1440, height: 1000 },
    trace: "retain-on-failure",
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
        "--disable-component-update", "--disable-sync",
      ],
    },
  },
});
