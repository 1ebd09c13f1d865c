/** Why it holds: what a proof rests on and what none of its executions does, as the editor shows it. */
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import * as path from "node:path";
import { type Part, push } from "./step";

/** A color that is excluded has a price, and one of the assumptions is about nothing. */
const price = `#include <unitproof.h>

static int price(int color) {
  switch (color) {
    case 1: return 10;
    case 2: return 20;
    default: return 1;
  }
}

void price_harness(void) {
  int color = nd_int(), spare = nd_int();
  assume(color == 1 || color == 3);
  assume(spare > 0);
  sassert(price(color) <= 10);
}
`;

export const why: Part = async (code, step) => {
  await step("what a proof does not need and what no execution does is greyed, and hovers say why", async () => {
    const file = "proofs/price_harness.c";
    code.writeFile(file, price);
    await code.open(file);
    await code.untilSome("the gutter", () => code.gutter(), /^15 proved$/);
    assert.deepEqual(await code.squiggles(), [], "nobody has asked yet");
    await code.run("unitproof.explainFile");
    await code.untilSome("the case that is excluded", () => code.squiggles(), /^6 unnecessary$/);
    await code.untilSome("the assumption that is not needed", () => code.squiggles(), /^14 unnecessary$/);
    const greyed = (await code.squiggles()).filter((s) => s.endsWith("unnecessary"));
    assert.deepEqual(greyed, ["6 unnecessary", "14 unnecessary"]);
    for (const [text, says] of [
      ["20", /no execution takes this case of `?switch \(color\)`? under these assumptions/],
      ["spare", /no verdict rests on this assumption/],
      ["sassert", /rests on .*color == 1 \|\| color == 3.*\(line 13\)/],
    ] as const) {
      await code.until(`what hovering over ${text} says`, async () => says.test(await code.hover(text)));
      await code.picture(`why-${text}`);
    }
    await code.change(file, "assume(spare > 0);", "  (void)spare;");
    await code.until("an edit takes it back", async () => (await code.squiggles()).length === 0);
    rmSync(path.join(code.workspace, file));
    await code.run("workbench.action.closeActiveEditor");
    await code.open(push);
    await code.until("it is gone", async () => !(await code.tests()).some((t) => /price/.test(t)));
  });
};
