// The way of a learner: read, write, submit, see.
import { editor, expect, firstExercise, openWorkspace, result, submit, test, verdict, write } from "./support";

test("a lesson leads to its exercise and to an editor", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Write a kernel");
  await page.getByRole("link", { name: "Start the first lesson" }).click();
  await expect(page).toHaveURL(/\/course\/[^/]+\/[^/]+$/);
  await expect(page.locator(".prose pre .tok-builtin").first()).toBeVisible();
  await page.getByRole("link", { name: "Open the exercise" }).first().click();
  await expect(page).toHaveURL(/\/x\//);
  await expect(editor(page)).toBeVisible();
  await expect(page.locator(".cm-line .tok-cuda").first()).toHaveText("__global__");
  await expect(result(page).first()).toContainText("Nothing submitted yet");
});

test("the starter is refused with a cause, the solution is accepted without a reload", async ({ page }) => {
  const exercise = await firstExercise(page);
  await openWorkspace(page, exercise);
  await page.evaluate(() => { (window as unknown as { same: boolean }).same = true; });
  expect(await submit(page)).not.toBe("accepted");
  await expect(page.locator(".verdict h2")).not.toBeEmpty();
  await expect(page.locator("#say")).toContainText("Not accepted.");

  await write(page, exercise.solution);
  await expect(result(page).first()).toContainText("code changed since");
  expect(await submit(page)).toBe("accepted");
  await expect(page.locator("#say")).toContainText(/^Accepted/);
  await expect(page).toHaveTitle(/✓ Accepted/);
  expect(await page.evaluate(() => (window as unknown as { same: boolean }).same)).toBe(true);

  const stations = await page.locator(".track li b").allTextContents();
  expect(stations).toEqual(["Queue", "Compile", "Values", "Memory", "Timing"]);
  const shown = await page.locator(".panel").innerText();
  await page.reload();
  expect(await page.locator(".panel").innerText()).toBe(shown);
  await expect(editor(page)).toContainText("__global__");
});

test("a message of the compiler stands on its line", async ({ page }) => {
  const exercise = await firstExercise(page);
  await openWorkspace(page, exercise);
  const lines = exercise.solution.trimEnd().split("\n");
  await write(page, [...lines, "int broken = ;"].join("\n"));
  expect(await submit(page)).toBe("compile-error");
  await expect(page.locator(".verdict h2")).toContainText(`line ${lines.length + 1}`);
  await expect(page.locator(".cm-line.bad")).toHaveText("int broken = ;");
  await expect(page.locator(".lens")).toContainText(/\w/);
  await expect(page.locator(".cm-lint-marker-error")).toHaveCount(1);
  // The link leads into the editor, whose cursor is then on that line.
  await page.getByRole("link", { name: `Go to line ${lines.length + 1}` }).click();
  await expect(editor(page)).toBeFocused();
  await expect(page.locator("#cursor")).toContainText(`Ln ${lines.length + 1},`);
  // The lens goes when its line is changed.
  await page.keyboard.press("End");
  await page.keyboard.type(" // 1");
  await expect(page.locator(".lens")).toHaveCount(0);
});

test("a stray access is named by thread and line", async ({ page }) => {
  const exercise = await firstExercise(page);
  test.skip(!exercise.stray, "the first exercise has no wrong solution that reads outside");
  await openWorkspace(page, exercise);
  await write(page, exercise.stray!);
  expect(await submit(page)).toMatch(/^oob-/);
  await expect(result(page).first()).toContainText(/[Tt]hread \(\d+, \d+, \d+\) of block/);
  for (const name of ["Index", "Size", "Thread", "Block"]) {
    await expect(page.getByRole("row", { name: new RegExp(`^${name} `) })).toBeVisible();
  }
  await expect(page.locator(".cm-line.bad")).toHaveCount(1);
  // Where the values differ on their way out, Values and Memory both say so.
  await expect(page.locator(".track .no")).not.toHaveCount(0);
});

test("the submission's own page shows the result and the marked source", async ({ page }) => {
  const exercise = await firstExercise(page);
  await openWorkspace(page, exercise);
  await write(page, `${exercise.solution.trimEnd()}\nint broken = ;`);
  await submit(page);
  const headline = await page.locator(".verdict h2").innerText();
  await page.locator(".panel .meta a").click();
  await expect(page).toHaveURL(/\/s\//);
  await expect(page.locator(".verdict h2")).toHaveText(headline);
  await expect(page.locator(".l.bad")).toContainText("int broken = ;");
});

test("keys submit, undo reaches over a submission, Escape and Tab leave the editor", async ({ page }) => {
  const exercise = await firstExercise(page);
  await openWorkspace(page, exercise);
  await write(page, exercise.solution);
  await editor(page).click();
  await page.keyboard.press("Control+Shift+Enter");
  await expect(verdict(page)).toHaveAttribute("data-verdict", "accepted");
  // Where one was is where one is.
  await expect(editor(page)).toBeFocused();
  await page.keyboard.press("Control+z");
  await expect(editor(page)).not.toContainText("threadIdx");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await expect(editor(page)).not.toBeFocused();
  await expect(page.locator("#code :focus")).toHaveCount(1);
});

test("a draft is there again after a reload", async ({ page }) => {
  const exercise = await firstExercise(page);
  await openWorkspace(page, exercise);
  await editor(page).click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.type("// a word that is nowhere else\n");
  // At once: the pause of the draft has not passed.
  await page.reload();
  await expect(editor(page)).toContainText("a word that is nowhere else");
  await expect(page.locator("#draft")).toHaveText("Draft restored");
  await page.getByRole("button", { name: "Reset to starter" }).click();
  await expect(editor(page)).not.toContainText("nowhere else");
});

test("a refusal is told and nothing typed is lost", async ({ page }) => {
  const exercise = await firstExercise(page);
  await openWorkspace(page, exercise);
  await write(page, `// ${"x".repeat(70_000)}`);
  await page.locator(".actions").getByRole("button", { name: "Submit" }).click();
  await expect(page.getByRole("alert")).toContainText("the limit is 65536");
  await expect(result(page).first()).toContainText("Not submitted");
  await expect(editor(page)).toContainText("xxxxxxxx");
});

test("a source that was changed after a lost answer is handed in as well", async ({ page }) => {
  const exercise = await firstExercise(page);
  await openWorkspace(page, exercise);
  // The server has it, the browser never hears of it.
  await page.route("**/submissions", async (route) => {
    await route.fetch();
    await route.abort();
  }, { times: 1 });
  const press = () => page.locator(".actions").getByRole("button", { name: "Submit" }).click();
  await press();
  await expect(page.getByRole("alert")).toContainText("cannot be reached");
  await write(page, exercise.solution);
  await press();
  await expect(page.getByRole("alert")).toContainText("was sent before");
  expect(await submit(page)).toBe("accepted");
});

test("the verdict comes without the event stream", async ({ page }) => {
  const exercise = await firstExercise(page);
  await page.route("**/events", (route) => route.abort());
  await openWorkspace(page, exercise);
  await write(page, exercise.solution);
  expect(await submit(page)).toBe("accepted");
});

test("a submission made in another tab is followed to its end", async ({ page }) => {
  const exercise = await firstExercise(page);
  await openWorkspace(page, exercise);
  await write(page, exercise.solution);
  const answer = page.waitForResponse((response) => response.url().endsWith("/submissions"));
  await page.locator(".actions").getByRole("button", { name: "Submit" }).click();
  const { submission } = await (await answer).json();
  const other = await page.context().newPage();
  await other.goto(`/s/${submission}`);
  await expect(verdict(other)).toHaveAttribute("data-verdict", "accepted");
});

test("the theme is kept", async ({ page }) => {
  await page.goto("/course");
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole("button", { name: "Switch between light and dark" }).click();
  expect(await ground()).not.toBe(light);
  const dark = await ground();
  await page.reload();
  expect(await ground()).toBe(dark);
});
