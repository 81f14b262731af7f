// Without script: reading, submitting and seeing the verdict are links and forms.
import { expect, firstExercise, test, verdict } from "./support";

test.use({ javaScriptEnabled: false });

test("a kernel is submitted and judged without script", async ({ page }) => {
  const exercise = await firstExercise(page);
  await page.goto(exercise.path);
  const area = page.getByRole("textbox", { name: "Kernel source" });
  await expect(area).toHaveValue(exercise.starter);
  await area.fill(exercise.solution);
  await page.locator(".actions").getByRole("button", { name: "Submit" }).click();
  await expect(page).toHaveURL(/\/s\//);
  // The page asks again by itself until there is a verdict.
  await expect(verdict(page)).toHaveAttribute("data-verdict", "accepted");
  await expect(page.locator(".listing")).toContainText("__global__");
  await page.getByRole("link", { name: /^Back to/ }).click();
  await expect(area).toHaveValue(exercise.solution);
  await expect(page.locator(".history")).toContainText("accepted");
});

test("what is refused without script is still on the page", async ({ page }) => {
  const exercise = await firstExercise(page);
  await page.goto(exercise.path);
  await page.getByRole("textbox", { name: "Kernel source" }).fill(`</textarea>${"x".repeat(70_000)}`);
  await page.locator(".actions").getByRole("button", { name: "Submit" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Too large");
  const kept = page.getByRole("textbox", { name: /kept here/ });
  await expect(kept).toHaveValue(/^<\/textarea>x/);
  await kept.fill(exercise.solution);
  await page.getByRole("button", { name: "Submit again" }).click();
  await expect(verdict(page)).toHaveAttribute("data-verdict", "accepted");
});

test("a message of the compiler is marked in the listing", async ({ page }) => {
  const exercise = await firstExercise(page);
  await page.goto(exercise.path);
  await page.getByRole("textbox", { name: "Kernel source" }).fill(`${exercise.solution.trimEnd()}\nint broken = ;`);
  await page.locator(".actions").getByRole("button", { name: "Submit" }).click();
  await expect(verdict(page)).toHaveAttribute("data-verdict", "compile-error");
  await expect(page.locator(".l.bad")).toContainText("int broken = ;");
  await page.getByRole("link", { name: /^Go to line/ }).click();
  await expect(page).toHaveURL(/#line-\d+$/);
});
