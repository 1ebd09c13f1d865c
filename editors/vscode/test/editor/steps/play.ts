/** A counterexample with other inputs: the execution follows what is typed. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import * as path from "node:path";
import { type Part, push } from "./step";

export const play: Part = async (code, step) => {
  const message = () => code.page.locator(".panel .tree-explorer-viewlet-tree-view .message").allInnerTexts();
  const says = (what: string, like: RegExp) => code.untilSome(what, message, like);
  const input = code.page.locator(".quick-input-widget:not(.hidden) input[type=text]");
  const rows = () => code.labels(".panel .tree-explorer-viewlet-tree-view .monaco-list-row");

  await step("an input is changed, and the execution follows while the user types", async () => {
    await code.open(push);
    await code.untilSome("the gutter", () => code.gutter(), /^16 failed$/);
    await code.goTo(16);
    await code.run("unitproof.trace");
    await code.until("the steps", async () => (await rows()).length > 0);
    await code.begin("unitproof.changeInput");
    await code.choose(/^r = /);
    await code.until("the box", async () => /^\{/.test(await input.inputValue()));
    await input.fill(".len = 7");
    await says("the end of the execution", /✓ nothing is violated: the proof ends/);
    await code.until("the value beside its line", async () => /r = \{.*\.len = 7/.test(await code.text()));
    await code.picture("play-holds");
    await input.fill(".len = 9");
    await says("the assumption", /⊘ excluded: the assumption `ring_is_valid\(&r\)` at ring_push_harness\.c:8 is false/);
    await input.fill(".length = 9");
    await code.until("the message", async () =>
      /no member "length"/.test(await code.page.locator(".quick-input-message").innerText()),
    );
    await input.fill(".len = 8, .head = 5");
    await says("the violation", /✗ `ring_is_valid\(&r\)/);
    await code.page.keyboard.press("Enter");
    await code.until("the end of the box", async () => !(await input.isVisible()));
    await code.until("the value beside its line", async () => /r = \{.*\.head = 5, \.len = 8/.test(await code.text()));
    await code.untilSome("the steps", rows, /r->len = 9/);
    await code.until("the memory at the violation", async () => {
      for (const frame of code.page.frames()) {
        const svg = frame.locator(".memory svg");
        const said = (await svg.count()) === 1 ? await svg.getAttribute("aria-label", { timeout: 1000 }) : null;
        if (/\.head = 5.*\.len = 9/.test(said ?? "")) return true;
      }
      return false;
    });
    await code.picture("play-fails");
  });

  await step("the found counterexample comes back", async () => {
    await code.run("unitproof.traceReset");
    await says("the counterexample", /^`ring_is_valid\(&r\)/);
    await code.begin("unitproof.changeInput");
    await code.choose(/^r = /);
    await code.until("the box", async () => /^\{/.test(await input.inputValue()));
    await input.fill(".len = 0");
    await says("the end of the execution", /✓ nothing is violated/);
    await code.page.keyboard.press("Escape");
    await says("the counterexample, whose change was given up", /`ring_is_valid\(&r\)/);
    await code.run("unitproof.traceClose");
    await code.until("the view is gone", async () => (await rows()).length === 0);
    assert.deepEqual(await code.complaints(), []);
  });

  await step("other counterexamples of a failure: a typical one, and one by other branches", async () => {
    code.writeFile("proofs/fit_harness.c", fit);
    await code.open("proofs/fit_harness.c");
    await code.untilSome("the gutter", () => code.gutter(), /^14 failed$/);
    await code.goTo(14);
    await code.run("unitproof.trace");
    await code.until("the steps", async () => (await rows()).length > 0);
    await code.run("unitproof.traceAnother");
    await says("a typical one", /✗ .*\(2 of \d, a typical one\)$/);
    await code.until("its value", async () => !/n = 0\b/.test(await code.text()));
    await code.picture("another-typical");
    await code.run("unitproof.traceAnother");
    await says("another way", /✗ .*\(3 of \d, by other branches\)$/);
    await code.picture("another-way");
    await code.run("unitproof.traceWhen");
    const tree = code.page.locator(".panel .tree-explorer-viewlet-tree-view .monaco-list");
    await code.untilSome(
      "the failing set",
      async () => (await tree.press("Home", { timeout: 1000 }), rows()),
      /^it fails (whenever|only if) `/,
    );
    await code.picture("failing-set");
    await code.run("unitproof.traceClose");
    await code.run("workbench.action.closeActiveEditor");
    rmSync(path.join(code.workspace, "proofs/fit_harness.c"));
    await code.until("its end", async () => /of 3 proofs/.test(await code.statusBar()));
    await code.open(push);
  });
};

/** A proof that fails at one place by two branches, and for 0 first. */
const fit = `#include <unitproof.h>

static unsigned need(unsigned n, bool wide) {
  if (wide)
    return 2 * n;
  return n;
}

int main(void) {
  unsigned n = nd_uint(), room = nd_uint();
  bool wide = nd_bool();
  assume(n < 1000 && room < 1000);

  sassert(need(n, wide) < room);
  return 0;
}
`;
