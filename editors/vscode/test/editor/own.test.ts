/**
 * A folder that nobody prepared, from its opening to the first finding, and what an edit changed: the first hour of a
 * user with code of their own. Each step leaves a picture.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { VSCode } from "./vscode";

const env = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`${name} is not set: run this by “make test-editor”`);
  return value;
};

const percent = `/* How full a ring is, in percent; -1 if that is not known. */
int
percent(unsigned used, unsigned capacity)
{
    if (used > capacity)
        return -1;
    return used / (capacity / 100);
}
`;

const share = `unsigned share(unsigned total, unsigned parts)
{
    return total / (parts - 2);
}
`;

const wrap = `unsigned
wrap(unsigned at, unsigned size)
{
    if (at >= size)
        at -= size;
    return at;
}
`;

test("code of one's own", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "unitproof-own-"));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries({ "percent.c": percent, "share.c": share, "wrap.c": wrap }))
    writeFileSync(path.join(folder, name), text);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=x", "-c", "user.email=x@example.com", ...args], { cwd: folder });
  git("init", "-q");
  git("add", ".");
  git("commit", "-q", "-m", "first");
  const code = await VSCode.start({
    vscode: env("VSCODE"),
    vsix: env("VSIX"),
    example: folder,
    pictures: env("PICTURES"),
  });
  t.after(() => code.stop());
  const rows = () => code.labels(".panel .tree-explorer-viewlet-tree-view .monaco-list-row");
  const tab = (name: string) => async () =>
    (await code.page.locator(`.tab.active[data-resource-name="${name}"]`).count()) > 0;
  let failed = false;
  /** A step. When one fails, those after it would only fail for the same reason. */
  const step = (name: string, body: () => Promise<void>) =>
    t.test(name, { skip: failed ? "an earlier step failed" : false }, async () => {
      failed = true;
      await body();
      failed = false;
    });
  /** Proves the only function of a file without a proof. */
  const prove = async (name: string) => {
    await code.open(`${name}.c`);
    await code.untilSome("the lens", () => code.lenses(), /^Prove this function$/);
    await code.clickLens("Prove this function", "the proof", tab(`${name}_harness.c`));
    await code.untilSome("the verdict", () => code.lenses(), /^[✓✗]/);
    await code.open(`${name}.c`);
    return code.untilSome("the lens over the function", () => code.lenses(), /^1 (proof ✓|✗)/);
  };

  await step("the status item leads to the walkthrough", async () => {
    await code.open("percent.c");
    await code.until("the item", async () => (await code.statusBar()) === "no proofs in this folder");
    await code.untilSome("the lens", () => code.lenses(), /^Prove this function$/);
    await code.picture("own-folder");
    await code.begin("unitproof.menu");
    await code.choose(/Your first unit proof/);
    const steps = code.page.locator(".getting-started-step");
    await code.until("the walkthrough", async () => (await steps.count()) > 0);
    await code.picture("own-walkthrough");
    await code.run("workbench.action.closeActiveEditor");
  });

  await step("a click, and the function's first finding stands at its line", async () => {
    assert.equal(await prove("percent"), "1 ✗ percent");
    await code.untilSome("the gutter", () => code.gutter(), /^7 failed$/);
    await code.picture("own-finding");
  });

  await step("the failing set, and the guard that excludes it", async () => {
    await code.goTo(7);
    await code.run("unitproof.trace");
    await code.until("the steps", async () => (await rows()).length > 0);
    await code.run("unitproof.traceWhen");
    const tree = code.page.locator(".panel .tree-explorer-viewlet-tree-view .monaco-list");
    const set = async () => (await tree.press("Home", { timeout: 1000 }), rows());
    await code.untilSome("the failing set", set, /^it fails whenever `capacity >= used && capacity < 100`, and only/);
    await code.picture("own-failing-set");
    await code.run("unitproof.traceClose");
    await code.run("workbench.action.closePanel");
    await code.goTo(7);
    await code.takeLightBulb("Guard percent: `if (capacity >= used && capacity < 100) return -1;`");
    await code.until("the guard", async () => /capacity < 100\) return -1;/.test(await code.text()));
    await code.save();
    await code.untilSome("the lens", () => code.lenses(), /^1 proof ✓/);
    await code.untilSome("the gutter", () => code.gutter(), /^8 proved$/);
    await code.picture("own-guard");
  });

  await step("a requirement that excludes a failure", async () => {
    assert.equal(await prove("share"), "1 ✗ share");
    await code.untilSome("the gutter", () => code.gutter(), /^3 failed$/);
    await code.goTo(3);
    await code.takeLightBulb("Find conditions that exclude this failure in share");
    await code.until("the list", async () =>
      /parts/.test(await code.page.locator(".quick-input-widget:not(.hidden) .quick-input-list").innerText()),
    );
    await code.picture("own-require-list");
    await code.choose(/assume\(parts/);
    await code.until("the proof", tab("share_harness.c"));
    await code.save();
    await code.untilSome("the verdict", () => code.lenses(), /^✓ proved/);
    await code.picture("own-require");
  });

  await step("strength stands in the lens", async () => {
    await code.open("proofs/percent_harness.c");
    await code.untilSome("the verdict", () => code.lenses(), /^✓ proved/);
    await code.clickLens("Strength", "the strength", async () =>
      (await code.lenses()).some((lens) => /^✓ proved .* strength \d+ %/.test(lens)),
    );
    await code.open("percent.c");
    await code.untilSome("the lens", () => code.lenses(), /^1 proof ✓ · strength \d+ %/);
    await code.picture("own-strength");
    await code.clearNotifications();
  });

  await step("an edit that keeps what the function does, and one that does not", async () => {
    const compare = (answer: RegExp) =>
      code.clickLens("Compare with HEAD", "the answer", async () =>
        (await code.lenses()).some((lens) => answer.test(lens)),
      );
    await code.change("wrap.c", "if (at >= size)", "    if (size <= at)");
    await code.untilSome("the lens", () => code.lenses(), /Compare with HEAD/);
    await compare(/≡ HEAD, for all inputs/);
    await code.picture("own-edit-keeps");
    await code.change("wrap.c", "if (size <= at)", "    if (size < at)");
    await code.untilSome("the lens", () => code.lenses(), /Compare with HEAD/);
    await compare(/≠ HEAD: 1 difference/);
    await code.untilSome("the difference", () => code.notifications(), /wrap is different from HEAD: .*/);
    await code.picture("own-edit-breaks");
    await code.answer("Show Both Executions");
    const shown = async () => (await code.page.locator(".editor-instance .view-lines").allInnerTexts()).join();
    await code.until("the difference", async () => /the.results.differ/.test(await shown()));
    await code.picture("own-difference");
    assert.deepEqual(await code.complaints(), []);
  });
});
