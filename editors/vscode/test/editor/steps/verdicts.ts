/** Verdicts where the user looks: on the line, in lists, in the Test Explorer, after edits of all sorts. */
import assert from "node:assert/strict";
import { type Part, push, right, wrong } from "./step";

export const verdicts: Part = async (code, step) => {
  await step("a failing assertion gets its mark, its squiggle and its sentence", async () => {
    await code.open(push);
    await code.untilSome("the gutter", () => code.gutter(), /^16 failed$/);
    await code.untilSome("the squiggles", () => code.squiggles(), /^16 error$/);
    const sentence = await code.untilSome(
      "the problems",
      () => code.problems(),
      /^Error: .*ring_is_valid\(&r\).* is false.* at line 16/,
    );
    assert.match(sentence, /unitproof/);
    await code.untilSome("the Problems view", () => code.problemRows(), /^Error: .*ring_is_valid\(&r\).* at line 16/);
    await code.untilSome("the lens", () => code.lenses(), /✗ .*1 failed|✗ failed/);
    await code.untilSome("beside the line", () => code.besideLines(), /ring_is_valid\(&r\).* is false/);
    assert.deepEqual(await code.notifications(), [], "nothing pops up");
    // The assertions that hold say so as well.
    await code.untilSome("the gutter", () => code.gutter(), /^13 proved$/);
    await code.picture("failed");
  });

  await step("the Test Explorer and the status bar show the same", async () => {
    await code.tests();
    await code.run("workbench.view.testing.focus");
    await code.untilSome("the tests", () => code.tests(), /ring_push_harness\.c.*\(Failed\)/);
    await code.untilSome("the tests", () => code.tests(), /ring_pop_harness\.c.*\(Passed\)/);
    // Cut off at a bound is neither a success nor a failure.
    await code.untilSome("the tests", () => code.tests(), /checksum_harness\.c.*\(Skipped\)/);
    await code.until("the status bar", async () =>
      /1 of 3 proofs proved, 1 failed, 1 undecided/.test(await code.statusBar()),
    );
    await code.expandTests();
    await code.untilSome(
      "the failure under its proof",
      () => code.tests(),
      /ring_is_valid\(&r\).* is false.*line 16 \(Failed\)/,
    );
    await code.picture("explorer");
  });

  await step(
    "a header edit moves the failure into the code that it makes wrong, the header itself included",
    async () => {
      const slot = "return (r->head + i) % RING_SLOTS;";
      const dividing = "return (r->head + i) % (RING_SLOTS - r->len);";
      const beyond = "return r->head + i;";
      await code.change("src/ring.h", slot, `  ${dividing}`);
      await code.untilSome("the problems", () => code.problems(), /^Error: .*divides by zero.* at line 22 /);
      // VS Code takes a header for C++.
      await code.untilSome("the gutter of the header", () => code.gutter(), /^22 failed$/);
      await code.untilSome("the squiggles of the header", () => code.squiggles(), /^22 error$/);
      await code.change("src/ring.h", dividing, `  ${beyond}`);
      await code.untilSome("the problems", () => code.problems(), /^Error: .*slots.* at line 6 /);
      assert.ok(!(await code.problems()).some((p) => / at line 22 /.test(p)), "it is no longer in the header");
      await code.open("src/ring.c");
      await code.untilSome("the gutter", () => code.gutter(), /^6 failed$/);
      await code.change("src/ring.h", beyond, `  ${slot}`);
      await code.open(push);
      await code.untilSome("the gutter", () => code.gutter(), /^16 failed$/);
      await code.until(
        "line 6 is no longer a problem",
        async () => !(await code.problems()).some((p) => / at line 6 /.test(p)),
      );
    },
  );

  await step("assumptions that contradict each other turn the assertion amber and are named", async () => {
    await code.change(push, "assume(ring_is_valid(&r));", "  assume(ring_is_valid(&r) && r.len > RING_SLOTS);", false);
    await code.untilSome("before the save, the old verdict is marked as old", () => code.gutter(), /^16 failed-stale$/);
    await code.save();
    await code.untilSome("the gutter", () => code.gutter(), /^16 vacuous$/);
    await code.untilSome("the squiggles", () => code.squiggles(), /^16 warning$/);
    // The cause has a mark and a sentence of its own, amber as well.
    const cause = await code.untilSome("the cause", () => code.problems(), /^Warning: this assumption can never hold/);
    const line = / at line (\d+) /.exec(cause)?.[1];
    await code.untilSome("its mark", () => code.gutter(), new RegExp(`^${line} vacuous$`));
    const sentence = await code.untilSome("the problems", () => code.problems(), /^Warning: .* at line 16 /);
    assert.match(sentence, /ring_is_valid\(&r\) && r\.len > RING_SLOTS/, "the assume is named");
    await code.untilSome("the tests", () => code.tests(), /vacuous: .*\(Failed\)/);
    await code.until("nothing failing is left beside a line", async () => (await code.besideLines()).length === 0);
    // There is nothing to replay, and nothing offers it.
    await code.untilSome("the lens", () => code.lenses(), /^⚠ 3 vacuous(?![^]*(Replay|Trace|Debug))/);
    await code.picture("vacuous");
  });

  await step("a fix turns it green", async () => {
    await code.change(push, "assume(ring_is_valid(&r) && r.len > RING_SLOTS);", "  assume(ring_is_valid(&r));");
    await code.untilSome("the gutter", () => code.gutter(), /^16 failed$/);
    await code.change("src/ring.c", wrong, `  ${right}`);
    await code.open(push);
    await code.untilSome("the gutter", () => code.gutter(), /^16 proved$/);
    await code.until("no squiggle is left", async () => (await code.squiggles()).length === 0);
    await code.untilSome("the tests", () => code.tests(), /ring_push_harness\.c.*\(Passed\)/);
    await code.until("no failure is left", async () => !(await code.tests()).some((t) => /\(Failed/.test(t)));
    await code.until("nothing is left beside a line", async () => (await code.besideLines()).length === 0);
    await code.untilSome("the lens", () => code.lenses(), /^✓ proved(?![^]*(Replay|Trace|Debug))/);
    await code.until("the status bar", async () => /2 of 3 proofs proved, 1 undecided/.test(await code.statusBar()));
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

  await step("an error in unitproof.toml is shown there, and the last good configuration stays", async () => {
    await code.change("unitproof.toml", 'sources = ["src/ring.c"]', 'sourcs = ["src/ring.c"]');
    await code.untilSome(
      "the problems",
      () => code.problems(),
      /^Error: .*sourcs: unknown key; did you mean.* at line 5 /,
    );
    await code.untilSome("the squiggles", () => code.squiggles(), /^5 error$/);
    await code.untilSome("the tests", () => code.tests(), /ring_push_harness\.c.*\(Passed\)/);
    await code.change("unitproof.toml", 'sourcs = ["src/ring.c"]', 'sources = ["src/ring.c"]');
    await code.until("the problem is gone", async () => !(await code.problems()).some((p) => /unknown key/.test(p)));
  });
};
