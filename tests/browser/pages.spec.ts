// Every page: nothing serious for axe, no sideways scrolling, nothing refused by the policy.
import AxeBuilder from "@axe-core/playwright";
import { expect, test } from "@playwright/test";
import { watch } from "./content";

test("pages are accessible, fit the screen and keep the policy", async ({ page }) => {
  const problems = watch(page);
  await page.goto("/course");
  const links = page.locator('main a[href^="/course/"], main a[href^="/x/"]');
  const found = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
  for (const address of ["/", "/course", ...new Set(found), "/no-such-page"]) {
    await page.goto(address);
    await expect(page.locator("h1")).toHaveCount(1);
    const result = await new AxeBuilder({ page }).analyze();
    const serious = result.violations.filter((violation) => ["serious", "critical"].includes(violation.impact ?? ""));
    expect(serious.map((violation) => `${address}: ${violation.id} ${violation.nodes[0]?.html}`)).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(overflow, `${address} scrolls sideways`).toBeLessThanOrEqual(0);
  }
  expect(problems.filter((text) => !text.includes("404"))).toEqual([]);
});
