/**
 * What a user meets when something is missing, or the workspace is not trusted: words that say what to do,
 * and nothing that compiles. Where the engine is not the matter, a server that only plays its part
 * (test/unit/fake.main.ts) stands in for it.
 */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";
import { VSCode } from "./vscode";

const env = (name: string): string => {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`${name} is not set: run this by “make test-editor”`);
  return value;
};

const common = {
  vscode: env("VSCODE"),
  vsix: env("VSIX"),
  example: path.resolve("example"),
  pictures: env("PICTURES"),
};

test("what is missing is said, with its remedy", async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), "unitproof-fake-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const program = path.join(folder, "unitproof");
  // The program is written once, before anything runs: a file that is open for writing cannot be executed, and
  // a process that is forked meanwhile keeps it open for a moment. What the program does is in a script beside it.
  const launcher = path.join(folder, "launcher");
  writeFileSync(launcher, `#!/bin/sh\n. '${path.join(folder, "script")}'\n`);
  chmodSync(launcher, 0o755);
  const become = (script: string): void => {
    // A shell that the extension has just started reads all of a script, the old one or the new one.
    writeFileSync(path.join(folder, "next"), `${script}\n`);
    renameSync(path.join(folder, "next"), path.join(folder, "script"));
    if (!existsSync(program)) renameSync(launcher, program);
  };
  /** Makes the program one that plays the server, with these variables, and has the extension start it. */
  const play = async (variables: Record<string, string>): Promise<void> => {
    const exports = Object.entries(variables)
      .map(([k, v]) => `export ${k}='${v}'\n`)
      .join("");
    become(`${exports}exec '${process.execPath}' '${path.resolve("dist-test/unit/fake.main.js")}' "$@"`);
    await code.begin("unitproof.restart"); // the server may be slow, and another one may follow
  };
  const code = await VSCode.start({ ...common, settings: { "unitproof.path": program } });
  t.after(() => code.stop());

  await t.test("no server where the setting says", async () => {
    await code.open("proofs/ring_push_harness.c");
    await code.untilSome("the message", () => code.notifications(), /setting unitproof\.path is .* no such program/);
    await code.until("the status bar", async () => /not running/.test(await code.statusBar()));
  });

  await t.test("a server of another protocol", async () => {
    await code.clearNotifications();
    await play({ FAKE_PROTOCOL: "99" });
    await code.untilSome(
      "the message",
      () => code.notifications(),
      /speaks protocol 99, this extension protocol 1\. Update the extension/,
    );
  });

  await t.test("a program that cannot start", async () => {
    await code.clearNotifications();
    become("echo 'unitproof: error while loading shared libraries: libz3.so.4: cannot open' >&2\nexit 127");
    await code.run("unitproof.restart");
    await code.untilSome(
      "the message",
      () => code.notifications(),
      /libz3\.so\.4 is missing\. Install it with: sudo apt-get install libz3-4/,
    );
  });

  await t.test("a part that the server needs", async () => {
    await code.clearNotifications();
    await play({ FAKE_MISSING: "clang-14:install it with sudo apt-get install clang-14" });
    await code.untilSome(
      "the message",
      () => code.notifications(),
      /clang-14 is missing\. Install it with: sudo apt-get install clang-14/,
    );
    await code.picture("missing");
    await code.page.locator(".notification-list-item .monaco-button", { hasText: "Copy Command" }).first().click();
    await code.until(
      "the clipboard",
      async () => (await code.page.evaluate(() => navigator.clipboard.readText())) === "sudo apt-get install clang-14",
    );
  });

  await t.test("a server that works brings all of it back", async () => {
    await play({});
    await code.until("the status bar", async () => /3 proofs/.test(await code.statusBar()));
    assert.deepEqual(await code.gutter(), [], "it only plays its part");
  });

  await t.test("one that is restarted while it starts leaves nothing to the next", async () => {
    await play({ FAKE_SLOW: "3000" });
    await play({ FAKE_SLOW: "6000" });
    await code.until("the status bar", async () => /3 proofs/.test(await code.statusBar()));
    assert.deepEqual(await code.notifications(), []);
  });

  await t.test("another server, as soon as the setting names it", async () => {
    await code.setSettings({ "unitproof.path": path.join(code.extensionFolder(), "server", "unitproof") });
    await code.open("proofs/ring_push_harness.c");
    await code.untilSome("the gutter", () => code.gutter(), /^16 failed$/);
    await code.until("one server", async () => code.servers() === 1);
  });
});

test("an untrusted workspace is listed and compiles nothing until it is trusted", async (t) => {
  const code = await VSCode.start({
    ...common,
    settings: { "security.workspace.trust.enabled": true, "security.workspace.trust.startupPrompt": "never" },
  });
  t.after(() => code.stop());
  await code.open("proofs/ring_push_harness.c");
  await code.untilSome("the lens", () => code.lenses(), /not verified/);
  await code.until("the status bar", async () => /3 not verified/.test(await code.statusBar()));
  assert.deepEqual(await code.gutter(), []);
  // A save asks for nothing either.
  await code.change("proofs/ring_push_harness.c", "uint32_t len = r.len;", "  uint32_t len = r.len + 0;");
  await code.begin("unitproof.verifyAll");
  await code.untilSome("the message", () => code.notifications(), /not trusted/);
  await code.clearNotifications();
  // The lens does not only say so, it leads there.
  await code.clickLens("Verify", "the way to Manage Trust", async () =>
    (await code.notifications()).some((n) => /not trusted/.test(n)),
  );
  assert.deepEqual(await code.gutter(), []);
  assert.deepEqual(compiled(code.cache()), [], "nothing was compiled");

  await code.run("workbench.trust.manage");
  await code.page
    .locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust$/ })
    .first()
    .click();
  await code.open("proofs/ring_push_harness.c");
  await code.untilSome("the gutter", () => code.gutter(), /^16 failed$/);
  assert.notDeepEqual(compiled(code.cache()), [], "now it was");
});

/** What the server has left in its cache folder, the headers for editors aside. */
function compiled(cache: string): string[] {
  const all = path.join(cache, "unitproof");
  return existsSync(all) ? readdirSync(all).filter((name) => name !== "include") : [];
}
