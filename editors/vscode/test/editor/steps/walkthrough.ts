/** The pages that VS Code shows to somebody who has just installed the extension. */
import assert from "node:assert/strict";
import type { Part } from "./step";

/** The steps by their titles, with a sentence of the page beside each. */
const pages: [title: string, says: RegExp][] = [
  ["Check the installation", /Solvers are built in/],
  ["Write a proof", /nd_T\(\) is an arbitrary value/],
  ["Save, and read the verdict on the line", /no execution reaches this assertion/],
  ["Run the counterexample", /step backwards/],
  ["Beware of proofs that prove nothing", /names the assumptions that contradict each other/],
  ["Prove a function of yours", /Over each function stands/],
];

export const walkthrough: Part = async (code, step) => {
  await step("the walkthrough has a page beside each step", async () => {
    await code.begin("welcome.showAllWalkthroughs");
    await code.choose(/^Your first unit proof/);
    const steps = code.page.locator(".getting-started-step");
    await code.until("the steps", async () => (await steps.count()) === pages.length);
    for (const [i, [title, says]] of pages.entries()) {
      const row = steps.nth(i);
      await code.until(`the step “${title}”`, async () => {
        if ((await row.getAttribute("class"))?.includes("expanded") === true) return true;
        await row.locator(".step-title").click({ timeout: 2000 });
        return false;
      });
      assert.match(await row.innerText(), new RegExp(title));
      await code.until(`the page of “${title}”`, async () => {
        for (const frame of code.page.frames()) {
          const text = await frame.locator("body").innerText({ timeout: 1000 }).catch(() => "");
          if (frame !== code.page.mainFrame() && says.test(text.replaceAll("\n", " "))) return true;
        }
        return false;
      });
      await code.picture(`walkthrough-${i + 1}`);
    }
  });
};
