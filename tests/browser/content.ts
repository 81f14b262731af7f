// What the tests know of the course: they find it, they do not name it.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";

/** Opens the course, then its first exercise; returns the exercise's name. */
export async function openFirstExercise(page: Page): Promise<string> {
  await page.goto("/course");
  const address = await page.locator('a[href^="/x/"]').first().getAttribute("href");
  if (!address) throw new Error("the course has no exercise");
  await page.goto(address);
  return address.slice("/x/".length);
}

/** A file of an exercise, found by the folder's name below `lessons`. */
export function exerciseFile(exercise: string, file: string): string {
  const find = (folder: string): string | undefined => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const inside = join(folder, entry.name);
      const found = entry.name === exercise ? inside : find(inside);
      if (found) return found;
    }
  };
  const folder = find("lessons");
  if (!folder) throw new Error(`no folder ${exercise}`);
  return readFileSync(join(folder, file), "utf8");
}

/** Collects violations of the content security policy and uncaught errors. */
export function watch(page: Page): string[] {
  const seen: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && /Content.Security.Policy|Refused to/i.test(message.text())) seen.push(message.text());
  });
  page.on("pageerror", (error) => seen.push(String(error)));
  return seen;
}
