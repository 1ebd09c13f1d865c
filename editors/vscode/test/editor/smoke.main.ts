import * as path from "node:path";
import { VSCode } from "./vscode";
// A scratch run for looking at things.
async function main() {
  const code = await VSCode.start({ vscode: process.env["VSCODE"]!, vsix: process.env["VSIX"]!, example: path.resolve("example"), pictures: "/tmp/vscode/pic",
    settings: process.env["UP"] ? { "unitproof.path": process.env["UP"] } : {} });
  try {
    await code.open("ring_push_harness.c");
    await code.until("status", async () => (await code.statusBar()) !== "");
    console.log(await code.statusBar(), await code.gutter(), await code.squiggles());
    console.log(await code.tests());
    await code.picture("smoke1");
    console.log(await code.problems());
    console.log(await code.lenses());
    await code.picture("smoke2");
  } finally { await code.stop(); }
}
main().catch((e) => { console.error(e); process.exit(1); });
