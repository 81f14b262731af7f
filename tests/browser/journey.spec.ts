// A learner's way: read, write, submit, see, reload. Elements are found as a person finds them.
import { expect, test, type Page } from "@playwright/test";
import { exerciseFile, openFirstExercise, watch } from "./content";

/** Puts a text into the editor, as its own undoable change. */
async function write(page: Page, text: string) {
  await expect(page.locator("code-editor.ready")).toBeVisible();
  await page.locator("code-editor").evaluate((editor, value) => Object.assign(editor, { value }), text);
}

async function submit(page: Page) {
  await page.locator('button[type=submit]:visible').first().click();
}

const verdict = (page: Page) => page.locator("[data-verdict]");

test("from the lesson to an accepted kernel, live and after a reload", async ({ page }) => {
  const problems = watch(page);
  await page.goto("/");
  await page.getByRole("link", { name: /first lesson/i }).click();
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  const exercise = await openFirstExercise(page);
  await expect(page.locator("code-editor.ready .cm-content")).toBeVisible();

  await submit(page);
  await expect(verdict(page)).toHaveAttribute("data-verdict", "output-untouched", { timeout: 30_000 });

  await write(page, exerciseFile(exercise, "solution.cu"));
  await submit(page);
  await expect(verdict(page)).toHaveAttribute("data-verdict", "accepted", { timeout: 30_000 });
  await expect(page.locator("#say")).toContainText("Accepted");

  await page.reload();
  await expect(verdict(page)).toHaveAttribute("data-verdict", "accepted");
  expect(problems).toEqual([]);
});

test("a compile error stands on its line, and a stray access names its thread", async ({ page }) => {
  const exercise = await openFirstExercise(page);
  await expect(page.locator("code-editor.ready")).toBeVisible();
  await write(page, exerciseFile(exercise, "solution.cu").replace(/;\n/, "\n"));
  await submit(page);
  await expect(verdict(page)).toHaveAttribute("data-verdict", "compile-error", { timeout: 30_000 });
  await expect(page.locator(".cm-lint-marker-error").first()).toBeAttached();

  await write(page, exerciseFile(exercise, "wrong/no_guard.cu"));
  await submit(page);
  await expect(verdict(page)).toHaveAttribute("data-verdict", "oob-read", { timeout: 30_000 });
  await expect(page.locator("#result")).toContainText(/thread \(\d+, \d+, \d+\) of block/i);
});

test("a draft survives a reload", async ({ page }) => {
  await openFirstExercise(page);
  await expect(page.locator("code-editor.ready")).toBeVisible();
  await write(page, "// a draft that must not be lost\n");
  await expect(page.locator("#draft")).toContainText(/saved|kept/i);
  await page.reload();
  await expect(page.locator("code-editor.ready .cm-content")).toContainText("a draft that must not be lost");
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("the form works and the page refreshes itself to the verdict", async ({ page }) => {
    const exercise = await openFirstExercise(page);
    await page.locator("textarea[name=source]").fill(exerciseFile(exercise, "solution.cu"));
    await page.locator('button[type=submit]:visible').first().click();
    await expect(page).toHaveURL(/\/s\//);
    await expect(verdict(page)).toHaveAttribute("data-verdict", "accepted", { timeout: 30_000 });
  });
});
