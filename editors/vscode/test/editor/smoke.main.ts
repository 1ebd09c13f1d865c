import * as path from "node:path";
import { VSCode } from "./vscode";
async function main() {
  const code = await VSCode.start({ vscode: process.env["VSCODE"]!, vsix: process.env["VSIX"]!, example: path.resolve("example"), pictures: "/tmp/vscode/pic",
    settings: { "unitproof.trace.server": "verbose" } });
  try {
    await code.open("ring_push_harness.c");
    await code.untilSome("g", () => code.gutter(), /16 failed/);
    await new Promise((r) => setTimeout(r, 3000));
    console.log(await code.lenses());
    console.log((code as any).logs());
  } finally { await code.stop(); }
}
main().catch((e) => { console.error(e); process.exit(1); });
