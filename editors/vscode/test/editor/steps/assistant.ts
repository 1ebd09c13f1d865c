/** What assistants get: a finding in the chat, and the tools, from the editor and from a client beside it. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { createInterface } from "node:readline";
import { type Part, push, right, wrong } from "./step";

export const assistant: Part = async (code, step) => {
  let described = "";

  await step("the quick fix hands the answer of the tool “finding” to the chat", async () => {
    if (!code.readFile("src/ring.c").includes(wrong)) await code.change("src/ring.c", right, `  ${wrong}`);
    await code.open(push);
    await code.untilSome("the gutter", () => code.gutter(), /^16 failed$/);
    await code.goTo(16);
    await code.takeLightBulb("unitproof: Ask the assistant about this");
    const file = code.beside("asked.json");
    const asked = await code.until("the chat", async () => existsSync(file) && JSON.parse(readFileSync(file, "utf8")));
    assert.equal(asked.isPartialQuery, true, "it is not sent before the user has read it");
    const [question, ...rest] = String(asked.query).split("\n\n");
    assert.match(question ?? "", /^Explain this finding of unitproof/);
    described = rest.join("\n\n");
    assert.equal(JSON.parse(described).verdict, "failed");
    assert.match(JSON.parse(described).at, /^proofs\/ring_push_harness\.c:16:/);
  });

  await step("a client of mcp --attach=auto gets the same answer", async () => {
    const { id, proof } = JSON.parse(described);
    assert.equal(await attached(code, "finding", { id, proof }), described);
  });

  await step("the tools are tools of VS Code's language models, and see texts that are not saved", async () => {
    const manifest = JSON.parse(readFileSync(path.join(code.extensionFolder(), "package.json"), "utf8"));
    const declared = manifest.contributes.languageModelTools.map((t: { name: string }) => t.name);
    const { proof } = JSON.parse(described);
    await code.change("src/ring.c", wrong, `  ${right}`, false);
    const calls = [
      { name: "unitproof_finding", input: { id: "none" } },
      { name: "unitproof_check", input: { names: [proof] } },
    ];
    const { tools, answers } = await code.callTools(calls);
    const ours = tools.filter((name) => name.startsWith("unitproof_"));
    assert.deepEqual(ours.sort(), declared.sort());
    assert.match(answers[0]?.error ?? "", /none/, "an error of a tool is told");
    assert.equal(JSON.parse(answers[1]?.text ?? "{}").verdict, "proved", JSON.stringify(answers[1]));
    await code.save();
    await code.open(push);
    await code.untilSome("the gutter", () => code.gutter(), /^16 proved$/);
  });
};

/** The answer of a tool to a client of the protocol that attaches to the editor's workspace. */
async function attached(code: Parameters<Part>[0], name: string, args: object): Promise<string> {
  const program = path.join(code.extensionFolder(), "server", "unitproof");
  const client = spawn(program, ["mcp", "--attach=auto", code.workspace], {
    env: code.environment(),
    stdio: ["pipe", "pipe", "inherit"],
  });
  const send = (message: object) => client.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const lines = createInterface({ input: client.stdout })[Symbol.asyncIterator]();
  const answer = async (id: number) => {
    for (;;) {
      const line = await lines.next();
      assert.ok(!line.done, "the server has ended");
      const message = JSON.parse(line.value);
      if (message.id === id) return message.result;
    }
  };
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  send({ id: 1, method: "initialize", params });
  await answer(1);
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/call", params: { name, arguments: args } });
  const result = await answer(2);
  client.stdin.end();
  await once(client, "exit");
  return result.content[0].text;
}
