/** The first proof of a function: by the lens over it, in a file without any preparation. */
import assert from "node:assert/strict";
import type { Part } from "./step";

const source = `#include <stddef.h>

unsigned total(const unsigned char *bytes, size_t n) {
  unsigned sum = 0;
  for (size_t i = 0; i < n; i++)
    sum += bytes[i];
  return sum;
}
`;

export const prove: Part = async (code, step) => {
  await step("a click over a function writes its proof, verifies and shows it", async () => {
    code.writeFile("src/total.c", source);
    await code.open("src/total.c");
    await code.untilSome("the lens", () => code.lenses(), /^Prove this function$/);
    await code.picture("prove");
    await code.clickLens("Prove this function", "the proof", async () =>
      (await code.page.locator('.tab.active[data-resource-name="total_harness.c"]').count()) > 0,
    );
    await code.untilSome("the lens of the proof", () => code.lenses(), /^✓ proved/);
    assert.match(code.readFile("proofs/total_harness.c"), /any_block\(n\)/);
    await code.picture("proved");
    await code.open("src/total.c");
    await code.untilSome("the lens over a function with a proof", () => code.lenses(), /^1 proof ✓$/);
  });
};
