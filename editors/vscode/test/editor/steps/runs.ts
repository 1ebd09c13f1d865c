/** Runs of the Test Explorer, and the window around it: coverage, cancelling, themes, several folders. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import * as path from "node:path";
import { type Part, push } from "./step";

/** No two numbers below 2^32 have this prime as their product; finding that out takes a solver longer than any test. */
const slow = `#include <unitproof.h>

void slow_harness(void) {
  uint64_t a = nd_uint64_t(), b = nd_uint64_t();
  assume(a > 1 && b > 1 && a < (1ull << 32) && b < (1ull << 32));
  sassert(a * b != 4611686018427387847ull);
}
`;

/** Wraps, which is a failure only where that is asked for. */
const sum = `#include <unitproof.h>

void sum_harness(void) {
  unsigned a = nd_uint(), b = nd_uint();
  unsigned c = a + b;
  sassert(c - b == a);
}
`;

/** A function with a contract, and a caller that does not keep to it. */
const twice = `#include <unitproof.h>

unsigned twice(unsigned n)
__CPROVER_requires(n <= 1000)
__CPROVER_ensures(__CPROVER_return_value == 2 * n)
{
  unsigned sum = 0;
  for (unsigned i = 0; i < n; i++)
  __CPROVER_loop_invariant(i <= n && sum == 2 * i)
    sum += 2;
  return sum;
}

void twice_harness(void) {
  unsigned n = nd_uint();
  assume(n <= 1001);
  sassert(twice(n) % 2 == 0);
}
`;

/** A proof in Rust: the sum of the two wraps, and a build with checks panics. */
const mean = `fn mean(a: u8, b: u8) -> u8 {
    (a + b) / 2
}

extern "C" {
    fn nd_u8() -> u8;
}

#[no_mangle]
pub extern "C" fn proof_mean() {
    let (a, b) = unsafe { (nd_u8(), nd_u8()) };
    let m = mean(a, b);
    assert!(m >= a || m >= b);
}
`;

export const runs: Part = async (code, step) => {
  await step("a run with coverage marks the lines that some execution reaches", async () => {
    await code.open("src/ring.c");
    await code.begin("testing.coverageAll");
    await code.untilSome("the lines", () => code.coverage(), /^6 hit$/);
    // A valid ring never holds more than its slots: the wrong check is never true.
    await code.untilSome("the lines", () => code.coverage(), /^5 miss$/);
    await code.until("the end of the run", async () =>
      (await code.tests()).every((t) => !/\((Running|Queued)/.test(t)),
    );
    // One way of that check is never taken, and what is popped is not empty.
    await code.run("testing.toggleInlineCoverage");
    await code.until(
      "the ways that no execution takes",
      async () => (await code.missedWays()).sort().join() === "12 miss,4 miss",
    );
    await code.picture("coverage");
    await code.run("testing.toggleInlineCoverage");
    await code.until("no marks of branches", async () => (await code.missedWays()).length === 0);
    await code.page.locator(".monaco-list-row[aria-label='Close Test Coverage']").first().click();
    await code.until("no marks", async () => (await code.coverage()).length === 0);
  });

  await step("a run is cancelled: what was known before stays, and nothing of it looks new", async () => {
    // The slow one is under way when the run begins, and outlasts it.
    const forever = { "unitproof.check.timeout": "1h" };
    await code.setSettings(forever);
    code.writeFile("proofs/slow_harness.c", slow);
    await code.untilSome("the slow one by itself", () => code.tests(), /slow_harness\.c.*\(Running\)/);
    await code.setSettings({ ...forever, "unitproof.check.on": "manual" });
    await code.open(push);
    // The failing proof gets old, those that hold stay as they are.
    await code.change(push, "sassert(ring_is_valid(&r));", "  sassert(ring_is_valid(&r) && len < 9);");
    await code.untilSome("the gutter", () => code.gutter(), /^16 failed-stale$/);
    await code.begin("testing.runAll");
    await code.untilSome("what is known needs no wait", () => code.tests(), /ring_pop_harness\.c.*\(Passed\)/);
    await code.untilSome("the gutter", () => code.gutter(), /^16 failed$/);
    await code.untilSome("the slow one in this run", () => code.tests(), /slow_harness\.c.*\(Running\)/);
    await code.page
      .locator(".title-actions .codicon-testing-cancel-icon, .pane-header .codicon-testing-cancel-icon")
      .first()
      .click();
    await code.until("the end of the run", async () =>
      (await code.tests()).every((t) => !/\((Running|Queued)/.test(t)),
    );
    await code.untilSome("the tests", () => code.tests(), /slow_harness\.c.*\(Skipped\)/);
    const tests = await code.tests();
    assert.ok(
      tests.some((t) => /ring_pop_harness\.c.*\(Passed\)/.test(t)),
      tests.join("\n"),
    );
    assert.ok(
      tests.some((t) => /ring_push_harness\.c.*\(Failed\)/.test(t)),
      tests.join("\n"),
    );
    rmSync(path.join(code.workspace, "proofs/slow_harness.c"));
    await code.until("it is gone", async () => !(await code.tests()).some((t) => /slow_harness/.test(t)));
  });

  await step("a continuous run verifies what is saved, where saving alone does not", async () => {
    await code.change(push, "sassert(ring_is_valid(&r) && len < 9);", "  sassert(ring_is_valid(&r) && len < 10);");
    await code.untilSome("the gutter", () => code.gutter(), /^16 failed-stale$/);
    await code.untilSome("the sentence beside the line", () => code.besideLines(), /is false: /);
    await code.expandTests();
    await code.untilSome("the tests say so too", () => code.tests(), /^ring_push.*\(Failed, outdated\)/);
    await code.begin("testing.startContinuousRun");
    await code.change(push, "sassert(ring_is_valid(&r) && len < 10);", "  sassert(ring_is_valid(&r) && len < 11);");
    await code.untilSome("the gutter", () => code.gutter(), /^16 failed$/);
    await code.untilSome("the tests", () => code.tests(), /^ring_push.*\(Failed\)/);
    await code.run("testing.stopContinuousRun");
    await code.setSettings({});
    await code.change(push, "sassert(ring_is_valid(&r) && len < 11);", "  sassert(ring_is_valid(&r));");
    await code.untilSome("the gutter", () => code.gutter(), /^16 failed$/);
  });

  await step("a contract is a test with a lens of its own, and a call that does not keep to it fails", async () => {
    const file = "proofs/twice_harness.c";
    code.writeFile(file, twice);
    await code.open(file);
    await code.untilSome("the file", () => code.tests(), /^proofs\/twice_harness\.c.*\(Failed\)/);
    await code.expandTests();
    await code.untilSome("the test of the contract", () => code.tests(), /^twice\.twice[^_].*\(Passed\)/);
    await code.untilSome("the test of the caller", () => code.tests(), /^twice\.twice_harness.*\(Failed\)/);
    await code.untilSome("the lens of the contract", () => code.lenses(), /✓ contract, 1 loop/);
    await code.untilSome("the gutter", () => code.gutter(), /^17 failed$/);
    const broken = /^Error: .*requires.*n <= 1000.*n = 1001.* at line 17 /;
    await code.untilSome("the problems", () => code.problems(), broken);
    await code.open(file);
    await code.picture("contract");
    const ensures = "__CPROVER_ensures(__CPROVER_return_value == 2 * n)";
    await code.change(file, ensures, ensures.replace("2", "3"));
    await code.untilSome("the lens of the contract", () => code.lenses(), /✗ 1 failed of its contract/);
    await code.untilSome("the gutter", () => code.gutter(), /^5 failed$/);
    rmSync(path.join(code.workspace, file));
    await code.run("workbench.action.closeActiveEditor");
    await code.open(push);
    await code.until("it is gone", async () => !(await code.tests()).some((t) => /twice/.test(t)));
  });

  await step("a proof in Rust has its verdict where it panics, and is green when that is mended", async () => {
    const rust = "proofs/mean.rs";
    code.writeFile(rust, mean);
    await code.open(rust);
    await code.untilSome("the tests", () => code.tests(), /mean\.rs.*\(Failed\)/);
    await code.untilSome("the gutter", () => code.gutter(), /^2 failed$/);
    await code.untilSome("the squiggles", () => code.squiggles(), /^2 error$/);
    await code.untilSome("the problems", () => code.problems(), /^Error: .*attempt to add with overflow.* at line 2 /);
    await code.untilSome("the lens", () => code.lenses(), /✗ .*1 failed|✗ failed/);
    await code.picture("rust");
    await code.change(rust, "(a + b) / 2", "    a / 2 + b / 2 + (a & b & 1)");
    await code.untilSome("the tests", () => code.tests(), /mean\.rs.*\(Passed\)/);
    await code.untilSome("the gutter", () => code.gutter(), /^13 proved$/);
    // A file of Rust in which nothing names a proof counts while it is open.
    await code.run("workbench.action.closeActiveEditor");
    rmSync(path.join(code.workspace, rust));
    await code.open(push);
    await code.until("it is gone", async () => !(await code.tests()).some((t) => /mean\.rs/.test(t)));
  });

  await step("the proofs are grouped by the function that they are about, and keep their results", async () => {
    await code.run("unitproof.groupProofs");
    await code.untilSome("the group of a function", () => code.tests(), /^ring_push\s?src\/ring\.c.*\(Failed\)/);
    await code.untilSome("another one", () => code.tests(), /^ring_pop\s?src\/ring\.c.*\(Passed\)/);
    await code.until("no group of a file", async () => !(await code.tests()).some((t) => /_harness\.c/.test(t)));
    await code.expandTests();
    await code.until("the proof in it", async () => {
      return (await code.tests()).filter((t) => /^ring_push.*\(Failed\)/.test(t)).length > 1;
    });
    await code.picture("by-function");
    await code.run("unitproof.groupProofs");
    await code.untilSome("the group of a file", () => code.tests(), /^proofs\/ring_push_harness\.c.*\(Failed\)/);
    await code.until("no group of a function", async () => !(await code.tests()).some((t) => /src\/ring\.c/.test(t)));
  });

  await step("light and high contrast", async () => {
    for (const [theme, sort] of [
      ["Default Light Modern", "vs"],
      ["Default High Contrast", "hc-black"],
      ["Default High Contrast Light", "hc-light"],
    ] as const) {
      await code.setSettings({ "workbench.colorTheme": theme });
      await code.page.locator(`.monaco-workbench.${sort}`).waitFor();
      await code.untilSome("the gutter", () => code.gutter(), /^16 failed$/);
      await code.picture(`theme-${sort}`);
    }
    await code.setSettings({});
    await code.page.locator(".monaco-workbench.vs-dark").waitFor();
  });

  await step("two folders: one server, each with its own unitproof.toml", async () => {
    code.writeFile("proofs/sum_harness.c", sum);
    await code.openWith("strict", {
      "unitproof.toml": "[check]\nchecks = { unsigned-overflow = true }\n",
      "proofs/sum_harness.c": sum,
    });
    await code.until("the status bar", async () =>
      /2 of 5 proofs proved, 2 failed, 1 undecided/.test(await code.statusBar()),
    );
    await code.untilSome("the tests", () => code.tests(), /ring.*sum_harness\.c.*\(Passed\)/);
    await code.untilSome("the tests", () => code.tests(), /strict.*sum_harness\.c.*\(Failed\)/);
    await code.untilSome("the tests", () => code.tests(), /ring_push_harness\.c.*\(Failed\)/);
    await code.until("one server", async () => code.servers() === 1);
    await code.picture("two-folders");
  });
};
