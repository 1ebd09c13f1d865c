/**
 * A server that only plays its part, for tests of the extension without the engine: it “verifies” what
 * comments say. A function name that ends in _harness or _proof is a proof; `// fake: VERDICT MESSAGE` behind a
 * line is a finding there. FAKE_PROTOCOL is the protocol version it claims, FAKE_MISSING a part that
 * its doctor misses, with `advice` after a colon. FAKE_SLOW is how many ms it takes to answer at first.
 */
import { readdirSync, readFileSync } from "node:fs";
import * as path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  createProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
  type WorkspaceFolder,
} from "vscode-languageserver-protocol/node";
import type { FindingItem, Mark, ProofItem, ProofVerdict } from "../../src/protocol";

if (process.argv[2] === "version") {
  console.log("unitproof 0.0.0 (fake)");
  process.exit(0);
}

const connection = createProtocolConnection(
  new StreamMessageReader(process.stdin),
  new StreamMessageWriter(process.stdout),
);
const texts = new Map<string, string>();
let folders: string[] = [];
let trusted = true;
let watching = false;
const verified = new Map<string, ProofItem>();

const order: ProofVerdict[] = ["error", "failed", "unknown", "bounded", "vacuous", "proved"];

function scan(uri: string): ProofItem[] {
  const lines = (texts.get(uri) ?? readFileSync(fileURLToPath(uri), "utf8")).split("\n");
  const proofs: ProofItem[] = [];
  lines.forEach((text, line) => {
    const entry = /(\w+(_harness|_proof))\(void\)/.exec(text);
    const range = (from: number, to: number) => ({ start: { line, character: from }, end: { line, character: to } });
    if (entry?.[1] !== undefined) {
      proofs.push({
        id: `${path.basename(uri)}:${entry[1]}`,
        name: entry[1],
        uri,
        range: range(entry.index, entry.index + entry[1].length),
        entry: entry[1],
        phase: "idle",
        stale: false,
        title: "not verified",
        cached: false,
        imported: false,
        assumptions: [],
        findings: [],
        errors: [],
      });
    }
    const last = proofs[proofs.length - 1];
    const fake = /\/\/ fake: (\w+) (.*)/.exec(text);
    if (fake?.[1] === undefined || last === undefined) return;
    const finding: FindingItem = {
      id: `f${line}`,
      kind: "assertion",
      verdict: fake[1] as ProofVerdict,
      message: fake[2] ?? "",
      uri,
      range: range(text.search(/\S/), fake.index - 1),
      stale: false,
      accepted: false,
      instances: 1,
    };
    last.findings.push(finding);
  });
  for (const p of proofs) {
    p.verdict = order.find((v) => p.findings.some((f) => f.verdict === v)) ?? "proved";
    p.title = `${p.verdict} in 0.1 s`;
    p.ms = 100;
  }
  return proofs;
}

function unverified(p: ProofItem): ProofItem {
  const { verdict: _verdict, ms: _ms, ...rest } = p;
  return { ...rest, findings: [], title: "not verified", reason: trusted ? "" : "the workspace is not trusted" };
}

function all(): ProofItem[] {
  const uris = new Set(texts.keys());
  for (const folder of folders) {
    for (const name of readdirSync(folder, { recursive: true }) as string[]) {
      if (name.endsWith(".c")) uris.add(pathToFileURL(path.join(folder, name)).toString());
    }
  }
  return [...uris].flatMap(scan);
}

function publish(uri: string): void {
  const findings = [...verified.values()].filter((p) => p.uri === uri).flatMap((p) => p.findings);
  void connection.sendNotification("textDocument/publishDiagnostics", {
    uri,
    diagnostics: findings
      .filter((f) => f.verdict !== "proved")
      .map((f) => ({
        range: f.range,
        message: f.message,
        severity: f.verdict === "failed" ? 1 : 2,
        source: "unitproof",
        code: f.kind,
      })),
  });
  const marks: Mark[] = findings.map((f) => ({
    line: f.range.start.line,
    verdict: f.verdict,
    stale: f.stale,
    title: f.message,
  }));
  if (watching) void connection.sendNotification("unitproof/marks", { uri, marks });
}

function verify(uri: string): ProofItem[] {
  if (!trusted) return [];
  const now = scan(uri);
  for (const phase of ["running", "idle"] as const) {
    const changed = now.map((p) => ({ ...(phase === "idle" ? p : unverified(p)), phase }));
    if (watching) void connection.sendNotification("unitproof/proofsChanged", { changed, removed: [] });
  }
  for (const p of now) verified.set(p.id, p);
  publish(uri);
  return now;
}

connection.onRequest(
  "initialize",
  async (params: { workspaceFolders?: WorkspaceFolder[]; initializationOptions?: { trusted?: boolean } }) => {
    await new Promise((resolve) => setTimeout(resolve, Number(process.env["FAKE_SLOW"] ?? 0)));
    folders = (params.workspaceFolders ?? []).map((f) => fileURLToPath(f.uri));
    trusted = params.initializationOptions?.trusted ?? true;
    return {
      serverInfo: { name: "unitproof", version: "0.0.0 (fake)" },
      capabilities: {
        textDocumentSync: { openClose: true, change: 1, save: true },
        executeCommandProvider: {
          commands: ["verify", "cancel", "replay", "trace", "hideTrace", "commandLine", "doctor"].map(
            (c) => `unitproof.server.${c}`,
          ),
        },
        experimental: { unitproof: { protocol: Number(process.env["FAKE_PROTOCOL"] ?? 1) } },
      },
    };
  },
);
connection.onNotification("textDocument/didOpen", (p: { textDocument: { uri: string; text: string } }) => {
  texts.set(p.textDocument.uri, p.textDocument.text);
  verify(p.textDocument.uri);
});
connection.onNotification(
  "textDocument/didChange",
  (p: { textDocument: { uri: string }; contentChanges: { text: string }[] }) => {
    texts.set(p.textDocument.uri, p.contentChanges[0]?.text ?? "");
  },
);
connection.onNotification(
  "textDocument/didSave",
  (p: { textDocument: { uri: string } }) => void verify(p.textDocument.uri),
);
connection.onNotification("unitproof/trust", (p: { trusted: boolean }) => {
  trusted = p.trusted;
  for (const uri of texts.keys()) verify(uri);
});
connection.onRequest("unitproof/proofs", () => {
  watching = true;
  setImmediate(() => [...texts.keys()].forEach(publish));
  return { proofs: all().map((p) => verified.get(p.id) ?? unverified(p)) };
});
connection.onRequest(
  "workspace/executeCommand",
  (p: { command: string; arguments: { proofs?: string[]; proof?: string }[] }) => {
    switch (p.command) {
      case "unitproof.server.verify": {
        const wanted = p.arguments[0]?.proofs;
        const uris = new Set(
          all()
            .filter((q) => wanted?.includes(q.id) ?? true)
            .map((q) => q.uri),
        );
        return { proofs: [...uris].flatMap(verify) };
      }
      case "unitproof.server.doctor": {
        const [name, advice] = (process.env["FAKE_MISSING"] ?? "").split(":");
        const fine = {
          name: "folder of unitproof.h",
          ok: true,
          required: false,
          detail: "/usr/share/unitproof/include",
        };
        return { parts: name ? [{ name, ok: false, required: true, detail: "not found", advice }, fine] : [fine] };
      }
      case "unitproof.server.commandLine":
        return `unitproof check ${p.arguments[0]?.proof ?? ""}`;
      default:
        return null;
    }
  },
);
connection.onRequest("shutdown", () => null);
connection.onNotification("exit", () => process.exit(0));
connection.listen();
