/** What can be done with a counterexample: walk through it, run it, step through it, save it. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import * as path from "node:path";
import { type Part, push, right, wrong } from "./step";

export const counterexample: Part = async (code, step) => {
  await step("the trace of a counterexample is walked through", async () => {
    await code.change("src/ring.c", right, `  ${wrong}`);
    await code.open(push);
    await code.untilSome("the gutter", () => code.gutter(), /^16 failed$/);
    await code.untilSome("the lens", () => code.lenses(), /Trace/);
    const rows = () => code.labels(".panel .tree-explorer-viewlet-tree-view .monaco-list-row");
    await code.clickLens("Trace", "the steps", async () => (await rows()).length > 0);
    // The tree has the rows that are in sight, and goes to the violation by itself, sooner or later.
    const steps = code.page.locator(".panel .tree-explorer-viewlet-tree-view .monaco-list");
    const inSight = (what: string, key: string, like: RegExp) =>
      code.untilSome(what, async () => (await steps.press(key, { timeout: 1000 }), rows()), like);
    await inSight("the inputs", "Home", /Inputs/);
    await inSight("the call", "Home", /ring_push/);
    await inSight("the violation", "End", /assertion is false/);
    await code.until("the memory at the violation", async () => {
      for (const frame of code.page.frames()) {
        const svg = frame.locator(".memory svg");
        const said = (await svg.count()) === 1 ? await svg.getAttribute("aria-label", { timeout: 1000 }) : null;
        if (/variables of ring_push_harness: r: struct ring, .*\.len = 9/.test(said ?? "")) return true;
      }
      return false;
    });
    await code.picture("trace");
    assert.ok(!(await code.complaints()).some((n) => /TreeError/.test(n)), "the tree is not complained of");
    await code.command("unitproof: Previous Step");
    await code.run("unitproof.traceClose");
    await code.until("the view is gone", async () => (await rows()).length === 0);
    assert.equal(await code.page.locator(".panel .terminal-wrapper").count(), 0, "no terminal takes its place");
  });

  await step("the light bulb at a failure begins with its trace, and the hover leads there", async () => {
    await code.goTo(16);
    const bulb = await code.lightBulb();
    await code.picture("light-bulb");
    await code.page.keyboard.press("Escape");
    assert.match(bulb[0] ?? "", /Trace ring_push/, bulb.join("; "));
    assert.match(bulb[1] ?? "", /Replay ring_push/);
    assert.match(bulb[2] ?? "", /Debug ring_push/);
    assert.equal(bulb.at(-1), "unitproof: Ask the assistant about this"); // the extension's own, behind the server's
    assert.match(bulb.at(-2) ?? "", /^Accept .*, with a reason/, "what hides it comes last");
    await code.until("the links", async () =>
      /Trace · Replay · Debug/.test((await code.hover("sassert")).replaceAll("\u00a0", " ")),
    );
    await code.picture("hover-links");
    const links = code.page.locator(".monaco-hover:not(.hidden) a", { hasText: "Trace" });
    await links.first().click();
    await code.until(
      "the trace",
      async () => (await code.labels(".panel .tree-explorer-viewlet-tree-view .monaco-list-row")).length > 0,
    );
    await code.run("unitproof.traceClose");
  });

  await step("the command line is copied", async () => {
    const line = await code.clickLens("Copy command line", "the clipboard", async () => {
      const text = await code.clipboard();
      return /\bunitproof check /.test(text) && text;
    });
    const program = path.join(code.extensionFolder(), "server", "unitproof");
    const output = runCheck(program, line, code.workspace);
    assert.match(output, /ring_is_valid\(&r\).* is false/, "it does the same");
  });

  await step("clangd is told where unitproof.h is, after asking, and has no complaint", async () => {
    await code.begin("unitproof.configureClangd");
    await code.page.locator(".monaco-dialog-box .monaco-button", { hasText: "Create the File" }).click();
    await code.until("the file", async () => existsSync(path.join(code.workspace, ".clangd")));
    for (const file of [
      push,
      "proofs/ring_pop_harness.c",
      "proofs/checksum_harness.c",
      "src/ring.c",
      "src/checksum.c",
    ]) {
      const said = clangd(path.join(code.workspace, file));
      assert.match(said, /All checks completed, 0 errors/, file);
    }
  });

  await step("the lens Replay ends in “reproduced”, on the finding", async () => {
    await code.clickLens("Replay", "the message", async () =>
      (await code.notifications()).some((n) => /^Reproduced: assertion at .*ring_push_harness\.c:16/.test(n)),
    );
    await code.picture("replay");
    await code.clearNotifications();
    await code.untilSome("the finding", () => code.tests(), /ring_is_valid\(&r\).*line 16, reproduced \(Failed\)/);
  });

  await step("the lens Debug opens the session at the violation", async () => {
    await code.untilSome("the lens", () => code.lenses(), /Debug/);
    await code.clickLens("Debug", "the stack", async () =>
      (await code.frames()).some((f) => /ring_push_harness, line 16/.test(f)),
    );
    await code.until("the line where it stopped", async () => (await code.stoppedAt()) === 16);
    await code.untilSome("the variables", () => code.variables(), /^r, value .*\.len = 9/);
    await code.untilSome("the variables", () => code.variables(), /^len, value 8/);
    await code.picture("debug");
  });

  await step("steps back show the earlier values", async () => {
    /** Steps back until the debugger stands on a line; each step is answered before the next. */
    const backTo = async (line: number): Promise<void> => {
      for (let at = await code.stoppedAt(); at !== line; at = await code.stoppedAt()) {
        assert.ok(at === undefined || at > line, `stepped back over line ${line} to ${at}`);
        const before = await code.stopped();
        await code.debug("step-back");
        await code.until(
          `a step back from ${before}`,
          async () => (await code.stopped()) !== before && (await code.stoppedAt()) !== undefined,
        );
      }
    };
    await backTo(12);
    await code.untilSome("before the push", () => code.variables(), /^r, value .*\.len = 8/);
    // In the line before, the byte is not there yet.
    await backTo(10);
    await code.untilSome("before the byte", () => code.variables(), /^byte, value .*never written/);
    await code.debug("continue");
    await code.until("the violation again", async () => (await code.stoppedAt()) === 16);
    await code.untilSome("the variables", () => code.variables(), /^r, value .*\.len = 9/);
  });

  await step("the last write of a variable is found", async () => {
    await code.member("r", /^len, value 9/);
    await code.menu(".debug-variables .monaco-list-row[aria-label^='len, value 9']", "Break on Value Change");
    await code.untilSome("the breakpoints", () => code.labels(".debug-breakpoints .monaco-list-row"), /r\.len/);
    await code.debug("reverse-continue");
    await code.untilSome("the stack", () => code.frames(), /Stack Frame ring_push, line 7, ring\.c/);
    await code.until("the line that writes it", async () => (await code.stoppedAt()) === 7);
    await code.untilSome("the variables of that function", () => code.variables(), /^r, value &r/);
    await code.member("r", /^len, value 8/);
    await code.picture("last-write");
    await code.debug("stop");
    await code.until("the end of the session", async () => (await code.stoppedAt()) === undefined);
    await code.open(push);
  });

  await step("without a debugger's extension, the message has the command for a terminal", async () => {
    await code.begin("unitproof.debugNative");
    await code.untilSome(
      "the message",
      () => code.notifications(),
      /needs the extension CodeLLDB or C\/C\+\+\. In a terminal gdb does it/,
    );
    await code.answer("Copy gdb Command");
    const line = await code.until("the clipboard", async () => {
      const text = await code.clipboard();
      return / gdb /.test(text) && text;
    });
    const said = spawnSync("sh", ["-c", line.replace(" gdb ", " gdb -batch -nx ")], { encoding: "utf8", input: "" });
    assert.match(said.stdout, /Breakpoint 1, unitproof_violation \(kind=.*"assertion"/, said.stderr);
    await code.clearNotifications();
  });

  await step("the counterexample is saved as a program, which is no proof", async () => {
    await code.begin("unitproof.saveReproducer");
    const input = code.page.locator(".quick-input-widget:not(.hidden) input[type=text]");
    await code.until("the name that is offered", async () =>
      /proofs\/ring_push_reproducer\.c$/.test(await input.inputValue()),
    );
    await code.page.locator(".quick-input-widget .monaco-button", { hasText: "OK" }).click();
    await code.untilSome("the message", () => code.notifications(), /^Saved proofs\/ring_push_reproducer\.c\./);
    await code.answer("Copy Build Command");
    const line = await code.until("the clipboard", async () => {
      const text = await code.clipboard();
      return /-o reproducer/.test(text) && text;
    });
    const ran = spawnSync("sh", ["-c", line], { cwd: path.join(code.workspace, "proofs"), encoding: "utf8" });
    assert.notEqual(ran.status, 0);
    assert.match(ran.stdout + ran.stderr, /assertion/i);
    await code.clearNotifications();
    await code.until("no further proof", async () => /of 3 proofs/.test(await code.statusBar()));
    assert.ok(!(await code.tests()).some((t) => /reproducer/.test(t)));
  });
};

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
