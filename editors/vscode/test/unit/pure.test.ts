/** The parts of the extension that know nothing of VS Code. */
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { after, describe, test } from "node:test";
import { shellCommand } from "../../src/advice";
import { withIncludeFolder } from "../../src/clangdfile";
import { nativeCommand, nativeConfiguration } from "../../src/nativedebug";
import type { FindingItem, ProofItem, TraceStep } from "../../src/protocol";
import { findServer, ServerMissing, type Sources } from "../../src/server";
import { spoken, statusText } from "../../src/statustext";
import { tally, worstFirst } from "../../src/tally";
import {
  description,
  failures,
  findingMessage,
  isSettled,
  placeName,
  resultKey,
  skipReason,
} from "../../src/testresult";
import { nest, type StepNode } from "../../src/tracetree";
import { icon, verdicts } from "../../src/verdict";

const range = { start: { line: 3, character: 0 }, end: { line: 3, character: 5 } };

function proof(p: Partial<ProofItem>): ProofItem {
  return {
    id: "p",
    name: "p",
    uri: "file:///p.c",
    range,
    entry: "main",
    phase: "idle",
    stale: false,
    title: "",
    cached: false,
    imported: false,
    assumptions: [],
    findings: [],
    errors: [],
    ...p,
  };
}

function finding(f: Partial<FindingItem>): FindingItem {
  return {
    id: "f",
    kind: "assertion",
    verdict: "failed",
    message: "`x` is false",
    uri: "file:///p.c",
    range,
    stale: false,
    accepted: false,
    instances: 1,
    ...f,
  };
}

describe("where the server is found", () => {
  const home = mkdtempSync(path.join(tmpdir(), "unitproof-unit-"));
  after(() => rmSync(home, { recursive: true }));
  const program = (...names: string[]): string => {
    const file = path.join(home, ...names);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, "#!/bin/sh\n");
    chmodSync(file, 0o755);
    return file;
  };
  const onPath = program("bin", "unitproof");
  const own = program("mine", "up");
  const sources = (s: Partial<Sources>): Sources => ({
    setting: "",
    folder: home,
    extension: path.join(home, "bare"),
    env: { PATH: `:.:${path.join(home, "bin")}` },
    platform: "linux",
    ...s,
  });

  test("the setting wins over all", () => {
    assert.deepEqual(findServer(sources({ setting: own })), { command: own, origin: "setting" });
    assert.equal(findServer(sources({ setting: "${workspaceFolder}/mine/up" })).command, own);
    assert.equal(findServer(sources({ setting: "unitproof" })).command, onPath);
  });
  test("a setting that names nothing is an error and not passed over", () => {
    for (const setting of ["/nowhere/unitproof", "nothing-of-this-name", home]) {
      assert.throws(
        () => findServer(sources({ setting })),
        (e) => e instanceof ServerMissing && e.bySetting && e.message.includes(setting),
      );
    }
  });
  test("the bundled one wins over PATH", () => {
    const bundled = program("full", "server", "unitproof");
    const found = findServer(sources({ extension: path.join(home, "full") }));
    assert.deepEqual(found, { command: bundled, origin: "bundled" });
  });
  test("PATH is last, and its relative entries are left out", () => {
    assert.deepEqual(findServer(sources({})), { command: onPath, origin: "PATH" });
    assert.throws(() => findServer(sources({ env: { PATH: "bin:." } })), ServerMissing);
    assert.throws(
      () => findServer(sources({ env: {} })),
      (e) => e instanceof ServerMissing && !e.bySetting,
    );
  });
});

describe("results of tests", () => {
  test("vacuous fails and says so; accepted findings do not fail", () => {
    const vacuous = finding({ id: "v", verdict: "vacuous", message: "no execution reaches this line" });
    const p = proof({
      verdict: "failed",
      findings: [finding({}), vacuous, finding({ id: "a", accepted: true }), finding({ id: "u", verdict: "unknown" })],
    });
    assert.deepEqual(
      failures(p).map((f) => f.id),
      ["f", "v"],
    );
    assert.equal(findingMessage(vacuous), "vacuous: no execution reaches this line");
    assert.equal(findingMessage(finding({})), "`x` is false");
  });
  test("what is neither passed nor failed names its reason", () => {
    assert.equal(skipReason(proof({ verdict: "unknown", reason: "the budget ended" })), "unknown: the budget ended");
    assert.equal(
      skipReason(proof({ verdict: "bounded", findings: [finding({ verdict: "bounded", message: "loop cut" })] })),
      "bounded: loop cut",
    );
    assert.equal(skipReason(proof({})), "not verified");
  });
  test("nothing is settled while it runs or before it ran", () => {
    assert.equal(isSettled(proof({ verdict: "proved", phase: "running" })), false);
    assert.equal(isSettled(proof({})), false);
    assert.equal(isSettled(proof({ verdict: "proved" })), true);
  });
  test("what stands behind names", () => {
    assert.equal(description(proof({ verdict: "proved", title: "proved in 0.20 s" })), "");
    assert.equal(
      description(proof({ verdict: "proved", title: "proved in 12 ms, assuming no effect of log_msg" })),
      "assuming no effect of log_msg",
    );
    assert.equal(description(proof({ verdict: "failed", title: "1 failed in 2.79 s" })), "1 failed");
    assert.equal(description(proof({ verdict: "proved", title: "proved in CI" })), "in CI");
    assert.equal(
      description(proof({ verdict: "unknown", title: "1 unknown in 1 min 00 s, before your last edit" })),
      "1 unknown, before your last edit",
    );
    assert.equal(description(proof({ reason: "the workspace is not trusted" })), "the workspace is not trusted");
    assert.equal(placeName(finding({}), proof({})), "line 4");
    assert.equal(placeName(finding({ uri: "file:///a%20b/c%20d.c" }), proof({})), "c d.c:4");
    assert.equal(placeName(finding({ replay: "reproduced" }), proof({})), "line 4, reproduced");
  });
  test("equal results are no news, others are", () => {
    const a = proof({ verdict: "failed", findings: [finding({})], ms: 10 });
    assert.equal(resultKey(a), resultKey({ ...a, ms: 20, stale: true }));
    assert.notEqual(resultKey(a), resultKey({ ...a, findings: [finding({ message: "`y` is false" })] }));
    assert.equal(resultKey(proof({})), undefined);
  });
});

describe("status bar", () => {
  test("those that need a look come first", () => {
    const list = (["proved", "bounded", "failed", undefined, "error"] as const).map((verdict, i) =>
      proof({ id: String(i), ...(verdict ? { verdict } : {}) }),
    );
    assert.deepEqual(
      worstFirst(list).map((p) => p.id),
      ["4", "2", "1"],
    );
  });
  const proofs = [
    proof({ verdict: "proved" }),
    proof({ verdict: "failed", stale: true }),
    proof({ verdict: "vacuous" }),
    proof({ verdict: "bounded", phase: "running" }),
    proof({ phase: "queued" }),
  ];
  test("counts", () => {
    const t = tally(proofs);
    assert.deepEqual(t, { proved: 1, not: 3, bad: 1, vacuous: 1, stale: 1, busy: 2, unverified: 1, all: 5 });
    assert.equal(
      statusText(t, 4, true),
      "$(sync~spin) unitproof 2/4  $(pass) 1  $(error) 1  $(warning) 1  $(question) 1",
    );
    assert.equal(
      spoken(t),
      "1 of 5 proofs proved, 1 failed, 1 vacuous, 1 undecided, 1 not verified, " +
        "1 from before the last edit, 2 being verified",
    );
  });
  test("nothing verified is not shown as none failing", () => {
    assert.match(statusText(tally([proof({})]), 0, true), /1 proof not verified/);
    assert.match(statusText(tally(proofs), 0, false), /not trusted/);
    assert.match(statusText(tally([]), 0, true), /no proofs/);
    assert.match(spoken(tally([])), /no proofs in this folder/);
  });
});

describe("icons", () => {
  test("each verdict, fresh or stale, in each theme, looks different", () => {
    const all = verdicts.flatMap((v) =>
      [true, false].flatMap((stale) => (["light", "dark"] as const).map((t) => icon(v, stale, t))),
    );
    assert.equal(new Set(all).size, verdicts.length * 4);
  });
  test("verdicts differ in shape, not only in colour", () => {
    const shapes = verdicts.map((v) =>
      icon(v, false, "dark")
        .replaceAll(/#[0-9a-f]{6}/g, "")
        .replace(/id="[^"]*"/, ""),
    );
    assert.equal(new Set(shapes).size, verdicts.length);
  });
  test("what is stale is hollow", () => {
    for (const v of verdicts) {
      assert.doesNotMatch(icon(v, true, "light"), /fill="#/);
      assert.match(icon(v, false, "light"), /fill="#/);
    }
  });
});

describe("traces", () => {
  const step = (depth: number, event: TraceStep["event"], text: string): TraceStep => ({
    depth,
    event,
    text,
    function: "f",
    uri: "file:///p.c",
    range,
  });
  const show = (nodes: StepNode[]): unknown[] =>
    nodes.map((n) => (n.children.length > 0 ? [n.step.text, show(n.children)] : n.step.text));
  test("steps stand under their calls", () => {
    const steps = [
      step(0, "call", "f()"),
      step(1, "assign", "a"),
      step(1, "call", "g()"),
      step(2, "assign", "b"),
      step(1, "assign", "c"),
      step(0, "violation", "v"),
    ];
    assert.deepEqual(show(nest(steps)), [["f()", ["a", ["g()", ["b"]], "c"]], "v"]);
  });
  test("a slice without the calls keeps every step", () => {
    assert.deepEqual(show(nest([step(2, "assign", "a"), step(0, "assign", "b"), step(3, "violation", "v")])), [
      "a",
      "b",
      "v",
    ]);
  });
});

describe("native debuggers", () => {
  const built = { program: "/tmp/p", args: ["x"], env: ["A=1:b=2"], cwd: "/tmp", breakpointFunction: "stop" };
  test("CodeLLDB first, then cpptools, else none", () => {
    const lldb = nativeConfiguration(built, () => true);
    assert.equal(lldb?.type, "lldb");
    assert.deepEqual(lldb?.["preRunCommands"], ["breakpoint set --name stop"]);
    assert.deepEqual(lldb?.["env"], { A: "1:b=2" });
    const gdb = nativeConfiguration(built, (id) => id === "ms-vscode.cpptools");
    assert.equal(gdb?.type, "cppdbg");
    assert.deepEqual(gdb?.["environment"], [{ name: "A", value: "1:b=2" }]);
    assert.equal(
      nativeConfiguration(built, () => false),
      undefined,
    );
  });
  test("a terminal's debugger needs neither", () => {
    const command = nativeCommand({ ...built, program: "/tmp/it's p" }, "gdb");
    assert.equal(
      command,
      "cd /tmp && env A=1:b=2 gdb -ex 'set breakpoint pending on' -ex 'break stop' -ex run --args '/tmp/it'\\''s p' x",
    );
    assert.equal(nativeCommand({ program: "/p" }, "lldb"), "lldb -o run -- /p");
  });
});

describe("small texts", () => {
  test(".clangd gets a document of its own, once", () => {
    const fresh = withIncludeFolder(undefined, "/a b/include");
    assert.equal(fresh, 'CompileFlags:\n  Add: ["-I/a b/include"] # where unitproof.h is\n');
    const grown = withIncludeFolder("Index:\n  Background: Skip", "/i");
    assert.equal(grown, 'Index:\n  Background: Skip\n---\nCompileFlags:\n  Add: ["-I/i"] # where unitproof.h is\n');
    assert.equal(withIncludeFolder(grown, "/i"), undefined);
  });
  test("the command in the doctor's advice", () => {
    assert.equal(shellCommand("install it: sudo apt-get install clang-14"), "sudo apt-get install clang-14");
    assert.equal(shellCommand("install the package clang: sudo apk add clang (for …)"), "sudo apk add clang");
    assert.equal(shellCommand("apt install clang-14 llvm-14"), "apt install clang-14 llvm-14");
    assert.equal(shellCommand("set compile.clang in unitproof.toml"), undefined);
    assert.equal(shellCommand(undefined), undefined);
  });
});
