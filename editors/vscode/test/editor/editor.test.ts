/**
 * The extension, as packaged, with the server in the package, in a real VS Code: what a user sees from
 * opening a workspace on. One session; each step starts from where the last one ended.
 *
 * Variables (set by .ci/test-editor.sh): VSCODE, the folder of VS Code's server build; VSIX, the package;
 * PICTURES, where pictures go.
 */
import * as path from "node:path";
import { test } from "node:test";
import { assistant } from "./steps/assistant";
import { counterexample } from "./steps/counterexample";
import { play } from "./steps/play";
import { prove } from "./steps/prove";
import { report } from "./steps/report";
import { runs } from "./steps/runs";
import { verdicts } from "./steps/verdicts";
import { walkthrough } from "./steps/walkthrough";
import { why } from "./steps/why";
import { VSCode } from "./vscode";

const env = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`${name} is not set: run this by “make test-editor”`);
  return value;
};

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
        await code.clearNotifications(); // of the steps before
        await body();
      } catch (e) {
        failed = true;
        throw e;
      }
    });

  await verdicts(code, step);
  await counterexample(code, step);
  await play(code, step);
  await why(code, step);
  await runs(code, step);
  await walkthrough(code, step);
  await prove(code, step);
  await report(code, step);
  await assistant(code, step);
});
