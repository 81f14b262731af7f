// Everybody can use it: automated WCAG checks in both themes, keyboard, small screens.
import AxeBuilder from "@axe-core/playwright";
import { expect, firstExercise, openWorkspace, submit, test, write } from "./support";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

for (const colorScheme of ["light", "dark"] as const) {
  test(`no page fails an automated check, ${colorScheme}`, async ({ browser }) => {
    const context = await browser.newContext({ colorScheme, reducedMotion: "reduce" });
    const page = await context.newPage();
    const check = async () => {
      const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
      const told = violations.map((found) => `${page.url()} ${found.id}: ${found.nodes.map((node) => node.html).join(" ")}`);
      expect(told).toEqual([]);
    };
    const exercise = await firstExercise(page);
    await check();
    const lesson = await page.locator("a[href^='/course/']").first().getAttribute("href");
    for (const path of ["/", lesson!, "/nothing-is-here"]) {
      await page.goto(path);
      await check();
    }
    await openWorkspace(page, exercise);
    await check();
    await submit(page);
    await check();
    await write(page, `${exercise.solution.trimEnd()}\nint broken = ;`);
    await submit(page);
    await check();
    await page.locator(".panel .meta a").click();
    await check();
    await context.close();
  });
}

test("no page is wider than a phone", async ({ browser }) => {
  for (const width of [390, 320]) {
    const context = await browser.newContext({ viewport: { width, height: 844 }, hasTouch: true, isMobile: true });
    const page = await context.newPage();
    const check = async () => {
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      expect(overflow, `${page.url()} at ${width}`).toBeLessThanOrEqual(0);
    };
    const exercise = await firstExercise(page);
    await check();
    const lesson = await page.locator("a[href^='/course/']").first().getAttribute("href");
    for (const path of ["/", lesson!, "/nothing-is-here"]) {
      await page.goto(path);
      await check();
    }
    await openWorkspace(page, exercise);
    await check();
    const bar = page.getByRole("navigation", { name: "Parts of this page" });
    for (const name of ["Task", "Code", "Result", "Submit"]) {
      const box = await bar.getByText(name, { exact: true }).boundingBox();
      expect(box!.height, name).toBeGreaterThanOrEqual(44);
    }
    await bar.getByRole("button", { name: "Submit" }).tap();
    await expect(page.locator("[data-verdict]:not([data-verdict=''])")).toBeVisible();
    await check();
    await page.locator(".panel .meta a").tap();
    await expect(page).toHaveURL(/\/s\//);
    await check();
    await context.close();
  }
});

test("the keyboard reaches content, code and result first", async ({ page }) => {
  const exercise = await firstExercise(page);
  await openWorkspace(page, exercise);
  for (const name of ["Skip to content", "Skip to code", "Skip to result"]) {
    await page.keyboard.press("Tab");
    await expect(page.getByRole("link", { name })).toBeFocused();
    await expect(page.getByRole("link", { name })).toBeInViewport();
  }
});
