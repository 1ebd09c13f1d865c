/**
 * The extension, as packaged, with the server in the package, in a real VS Code: what a user sees from
 * opening a workspace on. One session; each step starts from where the last one ended.
 *
 * Variables (set by .ci/test-editor.sh): VSCODE, the folder of VS Code's server build; VSIX, the package;
 * PICTURES, where pictures go.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { VSCode } from "./vscode";

const env = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`${name} is not set: run this by “make test-editor”`);
  return value;
};

const push = "proofs/ring_push_harness.c";

test("a session", async (t) => {
  const code = await VSCode.start({
    vscode: env("VSCODE"),
    vsix: env("VSIX"),
    example: path.resolve("example"),
    pictures: env("PICTURES"),
  });
  t.after(() => code.stop());
  let failed = false;
  /** A step. When one fails, those after it would only fail for the same reason. */
  const step = (name: string, body: () => Promise<void>) =>
    t.test(name, { skip: failed ? "an earlier step failed" : false }, async () => {
      try {
        await body();
      } catch (e) {
        failed = true;
        throw e;
      }
    });

  await step("a failing assertion gets its mark, its squiggle and its sentence", async () => {
    await code.open(push);
    await code.untilSome("the gutter", () => code.gutter(), /^16 failed$/);
    await code.untilSome("the squiggles", () => code.squiggles(), /^16 error$/);
    const sentence = await code.untilSome("the problems", () => code.problems(), /^Error: .*ring_is_valid\(&r\).* is false.* at line 16/);
    assert.match(sentence, /unitproof/);
    await code.untilSome("the lens", () => code.lenses(), /✗ .*1 failed|✗ failed/);
    assert.deepEqual(await code.notifications(), [], "nothing pops up");
    // The assertions that hold say so as well.
    await code.untilSome("the gutter", () => code.gutter(), /^13 proved$/);
    await code.picture("failed");
  });

  await step("the Test Explorer and the status bar show the same", async () => {
    await code.tests();
    await code.command("Testing: Focus on Test Explorer View");
    await code.untilSome("the tests", () => code.tests(), /ring_push_harness\.c.*\(Failed\)/);
    await code.untilSome("the tests", () => code.tests(), /ring_pop_harness\.c.*\(Passed\)/);
    // Cut off at a bound is neither a success nor a failure.
    await code.untilSome("the tests", () => code.tests(), /checksum_harness\.c.*\(Skipped\)/);
    assert.match(await code.statusBar(), /1 of 3 proofs proved, 1 failed, 1 undecided/);
    await code.expandTests();
    await code.untilSome("the failure under its proof", () => code.tests(), /ring_is_valid\(&r\).* is false.*line 16 \(Failed\)/);
    await code.picture("explorer");
  });

  await step("a header edit moves the failure into the code that it makes wrong", async () => {
    const slot = "return (r->head + i) % RING_SLOTS;";
    const wrong = "return r->head + i;";
    await code.change("src/ring.h", slot, `  ${wrong}`);
    await code.untilSome("the problems", () => code.problems(), /^Error: .*slots.* at line 6 /);
    await code.open("src/ring.c");
    await code.untilSome("the gutter", () => code.gutter(), /^6 failed$/);
    await code.change("src/ring.h", wrong, `  ${slot}`);
    await code.open(push);
    await code.untilSome("the gutter", () => code.gutter(), /^16 failed$/);
    await code.until("line 6 is no longer a problem", async () => !(await code.problems()).some((p) => / at line 6 /.test(p)));
  });

  await step("assumptions that contradict each other turn the assertion amber and are named", async () => {
    await code.change(push, "assume(ring_is_valid(&r));", "  assume(ring_is_valid(&r) && r.len > RING_SLOTS);", false);
    await code.untilSome("before the save, the old verdict is marked as old", () => code.gutter(), /^16 failed-stale$/);
    await code.save();
    await code.untilSome("the gutter", () => code.gutter(), /^16 vacuous$/);
    await code.untilSome("the squiggles", () => code.squiggles(), /^16 warning$/);
    const sentence = await code.untilSome("the problems", () => code.problems(), /^Warning: .* at line 16 /);
    assert.match(sentence, /ring_is_valid\(&r\) && r\.len > RING_SLOTS/, "the assume is named");
    await code.untilSome("the tests", () => code.tests(), /vacuous: .*\(Failed\)/);
    await code.picture("vacuous");
  });

  await step("a fix turns it green", async () => {
    await code.change(push, "assume(ring_is_valid(&r) && r.len > RING_SLOTS);", "  assume(ring_is_valid(&r));");
    await code.untilSome("the gutter", () => code.gutter(), /^16 failed$/);
    await code.change("src/ring.c", "if (r->len > RING_SLOTS)", "  if (r->len >= RING_SLOTS)");
    await code.open(push);
    await code.untilSome("the gutter", () => code.gutter(), /^16 proved$/);
    await code.until("no squiggle is left", async () => (await code.squiggles()).length === 0);
    await code.untilSome("the tests", () => code.tests(), /ring_push_harness\.c.*\(Passed\)/);
    await code.untilSome("the lens", () => code.lenses(), /✓ proved/);
    await code.picture("proved");
  });

  await step("a syntax error shows clang's message, and older verdicts stay, marked", async () => {
    await code.change(push, "uint32_t len = r.len;", "  uint32_t len = r.len");
    await code.untilSome("the problems", () => code.problems(), /^Error: .*expected ';'.* at line 9 /);
    await code.untilSome("the gutter", () => code.gutter(), /^16 proved-stale$/);
    assert.ok(!(await code.gutter()).some((m) => / proved$/.test(m)), "nothing looks fresh");
    await code.picture("syntax-error");
    await code.change(push, "uint32_t len = r.len", "  uint32_t len = r.len;");
    await code.untilSome("the gutter", () => code.gutter(), /^16 proved$/);
  });

  await step("the trace of a counterexample is walked through", async () => {
    await code.change("src/ring.c", "if (r->len >= RING_SLOTS)", "  if (r->len > RING_SLOTS)");
    await code.open(push);
    await code.untilSome("the gutter", () => code.gutter(), /^16 failed$/);
    await code.untilSome("the lens", () => code.lenses(), /Trace/);
    await code.clickLens("Trace");
    const rows = () => code.labels(".panel .tree-explorer-viewlet-tree-view .monaco-list-row");
    await code.untilSome("the steps", rows, /Inputs/);
    await code.untilSome("the steps", rows, /ring_push/);
    await code.picture("trace");
    await code.command("unitproof: Previous Step");
    await code.command("unitproof: Close the Counterexample");
    await code.until("the view is gone", async () => (await rows()).length === 0);
  });

  await step("the command line is copied", async () => {
    await code.clickLens("Copy command line");
    const line = await code.until("the clipboard", async () => {
      const text = await code.page.evaluate(() => navigator.clipboard.readText());
      return /\bunitproof check /.test(text) && text;
    });
    const program = path.join(code.extensionFolder(), "server", "unitproof");
    const output = runCheck(program, line, code.workspace);
    assert.match(output, /ring_is_valid\(&r\).* is false/, "it does the same");
  });

  await step("clangd is told where unitproof.h is, after asking, and has no complaint", async () => {
    await code.command("unitproof: Tell clangd Where unitproof.h Is");
    await code.page.locator(".monaco-dialog-box .monaco-button", { hasText: "Create the File" }).click();
    await code.until("the file", async () => existsSync(path.join(code.workspace, ".clangd")));
    for (const file of [push, "proofs/ring_pop_harness.c", "proofs/checksum_harness.c", "src/ring.c", "src/checksum.c"]) {
      const said = clangd(path.join(code.workspace, file));
      assert.match(said, /All checks completed, 0 errors/, file);
    }
  });

  await step("the counterexample is replayed natively", async () => {
    await code.clickLens("Replay");
    await code.untilSome("the message", () => code.notifications(), /^Reproduced: assertion at .*ring_push_harness\.c:16/);
    await code.picture("replay");
    await code.clearNotifications();
  });

  await step("the counterexample is debugged, from the violation backwards", async () => {
    await code.untilSome("the lens", () => code.lenses(), /Debug/);
    await code.clickLens("Debug");
    const frames = () => code.labels(".debug-call-stack .monaco-list-row");
    await code.untilSome("the stack", frames, /ring_push_harness/);
    // Stopped at the assertion that is violated.
    await code.until("the line where it stopped", async () => (await code.stoppedAt()) === 16);
    const variables = () => code.labels(".debug-variables .monaco-list-row");
    await code.untilSome("the variables", variables, /len.*8/);
    await code.picture("debug");
    // One step leads to the start of the assertion, further ones into the code under proof.
    const back = code.page.locator(".debug-toolbar [class*=debug-step-back]").first();
    await code.until("an earlier line", async () => {
      const line = await code.stoppedAt();
      if (line !== undefined && line !== 16) return true;
      await back.click();
      return false;
    });
    await code.page.locator(".debug-toolbar [class*=codicon-debug-stop]").first().click();
    await code.until("the end of the session", async () => (await code.stoppedAt()) === undefined);
  });
});

/** What clangd says of a file, configured by the .clangd beside it. */
function clangd(file: string): string {
  return spawnSync("clangd-14", [`--check=${file}`], { encoding: "utf8" }).stderr;
}

/** Runs the copied command line with this program; a failing proof ends with status 1. */
function runCheck(program: string, line: string, cwd: string): string {
  const shell = line.replace(/\bunitproof check /, `'${program}' check `);
  try {
    return execFileSync("sh", ["-c", `${shell} 2>&1`], { cwd, encoding: "utf8" });
  } catch (e) {
    return String((e as { stdout?: string }).stdout);
  }
}
