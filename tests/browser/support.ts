// What the scenarios share. No exercise is known by name: the first of the course is taken, and its files are looked up.
import { test as base, expect, type Locator, type Page } from "@playwright/test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const LESSONS = join(import.meta.dirname, "../../lessons");

export type Exercise = { path: string; starter: string; solution: string; stray: string | undefined };

// The folder of an exercise, wherever it is in the course.
function findFolder(slug: string, folder = LESSONS): string | undefined {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const inside = join(folder, entry.name);
    if (entry.name === slug && existsSync(join(inside, "solution.cu"))) return inside;
    const found = findFolder(slug, inside);
    if (found) return found;
  }
  return undefined;
}

// The first exercise of the course, found as a learner finds it.
export async function firstExercise(page: Page): Promise<Exercise> {
  await page.goto("/course");
  const path = await page.locator("main a[href^='/x/']").first().getAttribute("href");
  const folder = findFolder(path!.slice("/x/".length))!;
  const read = (name: string) => readFileSync(join(folder, name), "utf8");
  // The first line of a wrong solution is the verdict it must get; as the learner's code, it begins without it.
  const wrong = readdirSync(join(folder, "wrong")).map((name) => read(join("wrong", name)));
  const stray = wrong.find((source) => /oob-(read|write)/.test(source.split("\n")[0]))?.split("\n").slice(2).join("\n");
  return { path: path!, starter: read("starter.cu"), solution: read("solution.cu"), stray };
}

export const editor = (page: Page): Locator => page.getByRole("textbox", { name: /^Kernel source/ });
export const result = (page: Page): Locator => page.getByRole("region", { name: "Result" });
// Reached once there is a verdict, and only then.
export const verdict = (page: Page): Locator => page.locator("[data-verdict]:not([data-verdict=''])");

// Opens the workspace and waits until the editor and the island are there.
export async function openWorkspace(page: Page, exercise: Exercise): Promise<void> {
  await page.goto(exercise.path);
  await expect(page.locator("code-editor.ready .cm-content")).toBeVisible();
  await expect(page.locator("#submit-form[data-live]")).toBeVisible();
}

// Replaces the text, by one transaction as a paste would.
export async function write(page: Page, source: string): Promise<void> {
  await page.locator("code-editor").evaluate((element, text) => { (element as HTMLElement & { value: string }).value = text; }, source);
}

// Submits, and waits for the verdict of this submission.
export async function submit(page: Page): Promise<string> {
  const meta = page.locator(".panel .meta a");
  const before = (await meta.count()) ? await meta.getAttribute("href") : "";
  await page.locator(".actions").getByRole("button", { name: "Submit" }).click();
  await expect(meta).not.toHaveAttribute("href", before ?? "");
  await expect(verdict(page)).toBeVisible();
  return (await verdict(page).getAttribute("data-verdict"))!;
}

// A page that must not break its own policy, nor throw.
export const test = base.extend<{ clean: void }>({
  clean: [
    async ({ page }, use) => {
      const broken: string[] = [];
      page.on("console", (message) => {
        if (/Content Security Policy|Refused to/.test(message.text())) broken.push(message.text());
      });
      page.on("pageerror", (error) => broken.push(String(error)));
      await use();
      expect(broken).toEqual([]);
    },
    { auto: true },
  ],
});

export { expect };
