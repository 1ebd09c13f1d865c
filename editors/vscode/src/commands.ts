/**
 * The commands of the palette and of the menus, and what the extension shows after a server command
 * that a lens or a code action started.
 */
import * as vscode from "vscode";
import { shellCommand } from "./advice";
import { debugCounterexample, debugNatively } from "./debug";
import type { Model } from "./model";
import { asRange, show } from "./places";
import { worstFirst } from "./tally";
import {
  Command,
  type CompareResult,
  type DebugResult,
  type DoctorResult,
  type ExcludeResult,
  type FindingRef,
  hasCounterexample,
  type NativeDebugResult,
  type ReplayResult,
  type ReproducerResult,
  type StrengthResult,
  type TraceResult,
} from "./protocol";
import { type Session, tellParts } from "./session";
import type { TestView } from "./tests";
import type { TraceView } from "./trace";

/** The parts of the extension that commands speak to; set once all of them exist. */
export interface Parts {
  model: Model;
  session: Session;
  tests: TestView;
  trace: TraceView;
  output: vscode.OutputChannel;
}

/** Runs a server command for the user: with progress where it takes long, and shows what came of it. */
export async function runServerCommand(
  parts: Parts,
  command: string,
  args: unknown[],
  next: () => Thenable<unknown>,
): Promise<unknown> {
  const ref = (args[0] ?? {}) as FindingRef & { all?: boolean };
  // A lens stands there before the workspace is trusted; a click on it leads to what makes it work.
  if (!vscode.workspace.isTrusted && (command === Command.verify || command === Command.strength)) {
    await offerTrust();
    return null;
  }
  switch (command) {
    case Command.replay: {
      const result = (await withProgress("Replaying the counterexample", next)) as ReplayResult | null;
      if (result !== null) void showReplay(parts, result);
      return result;
    }
    case Command.strength: {
      const title = "Looking for changes of the code that the proof would not notice";
      const result = (await withProgress(title, next)) as StrengthResult | null;
      if (result !== null) tellStrength(parts, result);
      return result;
    }
    case Command.exclude: {
      const title = "Searching for conditions that exclude the failure";
      const result = (await withProgress(title, next)) as ExcludeResult | null;
      if (result !== null) void offerConditions(result);
      return result;
    }
    case Command.prove:
      return withProgress("Writing the proof", next);
    case Command.compare: {
      const result = (await withProgress("Comparing with HEAD", next)) as CompareResult | null;
      if (result !== null && result.answer !== "equivalent") void showComparison(result);
      return result;
    }
    case Command.trace: {
      const result = (await withProgress("Computing the trace", next)) as TraceResult | null;
      if (result !== null) await parts.trace.open(ref, result, ref.all === true);
      return result;
    }
    case Command.debug: {
      const result = (await next()) as DebugResult | null;
      if (result !== null) await debugCounterexample(parts.model, ref, result);
      return result;
    }
    case Command.nativeDebug: {
      const result = (await withProgress("Building the program to debug", next)) as NativeDebugResult | null;
      if (result !== null) await debugNatively(result);
      return result;
    }
    case Command.commandLine: {
      const line = (await next()) as string | null;
      if (typeof line === "string") {
        await vscode.env.clipboard.writeText(line);
        vscode.window.setStatusBarMessage(`$(copy) Copied: ${line}`, 5000);
      }
      return line;
    }
    case Command.doctor: {
      const result = (await withProgress("Checking the installation", next)) as DoctorResult | null;
      if (result !== null) await showDoctor(parts.output, result);
      return result;
    }
    default:
      return next();
  }
}

export function registerCommands(parts: Parts): vscode.Disposable[] {
  const { model, session, tests, output } = parts;
  const run = (command: string, arg?: unknown) =>
    runServerCommand(parts, command, arg === undefined ? [] : [arg], () => session.execute(command, arg));

  /** The counterexample a command is about: the test item it was called on, or what the user picks. */
  const pick = async (item: unknown): Promise<FindingRef | undefined> => {
    const fromTest = isTestItem(item) ? tests.refOf(item) : undefined;
    return fromTest ?? pickCounterexample(model);
  };
  const onPicked = (command: string) => async (item: unknown) => {
    const ref = await pick(item);
    if (ref !== undefined) await run(command, ref);
  };

  const commands: Record<string, (...args: unknown[]) => unknown> = {
    "unitproof.menu": () => showMenu(parts),
    "unitproof.verifyAll": () => verify(parts, {}),
    "unitproof.verifyAgain": () => verify(parts, { force: true }),
    "unitproof.verifyFile": () => {
      const uri = vscode.window.activeTextEditor?.document.uri.toString();
      return uri === undefined ? undefined : verify(parts, { uri });
    },
    "unitproof.explainFile": () => {
      const uri = vscode.window.activeTextEditor?.document.uri.toString();
      return uri === undefined ? undefined : verify(parts, { uri, explain: true });
    },
    "unitproof.strengthFile": () => {
      const uri = vscode.window.activeTextEditor?.document.uri.toString();
      return uri === undefined ? undefined : run(Command.strength, { uri });
    },
    "unitproof.cancel": () => session.execute(Command.cancel, {}),
    "unitproof.refresh": () => session.refresh(),
    "unitproof.groupProofs": async () => {
      const settings = vscode.workspace.getConfiguration("unitproof");
      const next = settings.get<string>("groupProofs", "file") === "file" ? "function" : "file";
      await settings.update("groupProofs", next, vscode.ConfigurationTarget.Workspace);
    },
    "unitproof.showFinding": (item) => {
      const ref = isTestItem(item) ? tests.refOf(item) : undefined;
      const { finding } = ref === undefined ? { finding: undefined } : model.resolve(ref);
      return finding === undefined ? undefined : show(finding, false);
    },
    "unitproof.replay": onPicked(Command.replay),
    "unitproof.trace": onPicked(Command.trace),
    "unitproof.debug": onPicked(Command.debug),
    "unitproof.debugNative": onPicked(Command.nativeDebug),
    "unitproof.saveReproducer": async (item) => {
      const ref = await pick(item);
      if (ref !== undefined) await saveReproducer(parts, ref);
    },
    "unitproof.copyCommandLine": async (item) => {
      const ref = isTestItem(item) ? tests.refOf(item) : await pickProof(model);
      if (ref !== undefined) await run(Command.commandLine, { proof: ref.proof });
    },
    "unitproof.walkthrough": () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", "unitproof.unitproof#start", false),
    "unitproof.doctor": () => (session.status === "running" ? run(Command.doctor) : session.restart()),
    "unitproof.restart": () => session.restart(),
    "unitproof.showOutput": () => output.show(),
    "unitproof.clearCache": async () => {
      const forget = "Forget Them";
      const picked = await vscode.window.showWarningMessage(
        "Forget all results that are kept between sessions? Every proof is then verified from scratch.",
        { modal: true },
        forget,
      );
      if (picked === forget) await session.execute(Command.clearCache);
    },
  };
  return Object.entries(commands).map(([name, fn]) =>
    vscode.commands.registerCommand(name, async (...args: unknown[]) => {
      try {
        return await fn(...args);
      } catch (e) {
        void vscode.window.showErrorMessage(e instanceof Error ? e.message : String(e));
        return undefined;
      }
    }),
  );
}

async function verify(parts: Parts, params: { uri?: string; force?: boolean; explain?: boolean }): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    await offerTrust();
    return;
  }
  await parts.session.execute(Command.verify, params);
}

async function offerTrust(): Promise<void> {
  const manage = "Manage Trust";
  const picked = await vscode.window.showInformationMessage(
    "This workspace is not trusted. Verifying compiles its files, so it waits until you trust it.",
    manage,
  );
  if (picked === manage) await vscode.commands.executeCommand("workbench.trust.manage");
}

async function withProgress<T>(title: string, work: () => Thenable<T>): Promise<T> {
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, work);
}

async function showReplay(parts: Parts, result: ReplayResult): Promise<void> {
  const choices = [...(result.location ? ["Go There"] : []), ...(result.report ? ["Show Report"] : [])];
  const say = result.outcome === "reproduced" ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
  const words = { reproduced: "Reproduced", "not-reproduced": "Not reproduced", "not-run": "Not run" }[result.outcome];
  // The message is written to stand alone too: “reproduced: assertion at list.c:12”.
  const rest =
    result.message.startsWith(`${words.toLowerCase()}:`) || result.message.startsWith(`${result.outcome}:`)
      ? result.message.slice(result.message.indexOf(":") + 1).trim()
      : result.message;
  const picked = await say(`${words}: ${rest}`, ...choices);
  if (picked === "Go There" && result.location) await show(result.location, false);
  if (picked === "Show Report" && result.report !== undefined) {
    parts.output.appendLine(result.report);
    parts.output.show();
  }
}

/** What survives is among the problems; this says how it came out as a whole. */
function tellStrength(parts: Parts, result: StrengthResult): void {
  const lines = result.proofs.map((p) => `${parts.model.proof(p.proof)?.name ?? p.proof}: ${p.summary}`);
  for (const line of lines) parts.output.appendLine(line);
  if (lines.length === 0) return;
  const survived = result.proofs.reduce((n, p) => n + p.survived, 0);
  const show = survived > 0 ? "Show What Is Not Noticed" : "Show All";
  const shown = lines.slice(0, 3).join("; ") + (lines.length > 3 ? `; ${lines.length - 3} more` : "");
  const choices = survived > 0 || lines.length > 3 ? [show] : [];
  void vscode.window.showInformationMessage(shown, ...choices).then((picked) => {
    if (picked === undefined) return;
    if (survived > 0) void vscode.commands.executeCommand("workbench.actions.view.problems");
    else parts.output.show();
  });
}

/** Names the difference of two versions of a function, and offers their executions side by side. */
async function showComparison(result: CompareResult): Promise<void> {
  const both = result.answer === "different" ? "Show Both Executions" : "Show Details";
  if ((await vscode.window.showInformationMessage(`unitproof: ${result.message}`, both)) === undefined) return;
  const document = await vscode.workspace.openTextDocument({ content: result.text });
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preview: true });
}

/** Offers the assumptions that exclude a failure; the one that is picked is written. */
async function offerConditions(result: ExcludeResult): Promise<void> {
  if (result.edits.length === 0) {
    void vscode.window.showInformationMessage(`unitproof: ${result.summary}`);
    return;
  }
  const items = result.edits.map((e) => ({ label: e.title, detail: e.detail, edit: e }));
  const picked = await vscode.window.showQuickPick(items, { title: "Assume one of these: each excludes the failure" });
  if (picked === undefined) return;
  const uri = vscode.Uri.parse(picked.edit.uri);
  const change = new vscode.WorkspaceEdit();
  change.replace(uri, asRange(picked.edit.edit.range), picked.edit.edit.newText);
  await vscode.workspace.applyEdit(change);
  await show({ uri: picked.edit.uri, range: picked.edit.edit.range }, false);
}

async function showDoctor(output: vscode.OutputChannel, doctor: DoctorResult): Promise<void> {
  const missing = doctor.parts.filter((p) => !p.ok);
  for (const p of doctor.parts) {
    const state = p.ok ? "ok      " : p.required ? "MISSING " : "missing ";
    output.appendLine(`${state} ${p.name.padEnd(24)} ${p.detail}${p.ok || !p.advice ? "" : `  (${p.advice})`}`);
  }
  const required = missing.filter((p) => p.required);
  if (required.length > 0) {
    await tellParts(required);
    return;
  }
  const rest = missing.map((p) => shellCommand(p.advice) ?? `${p.name}: ${p.advice ?? p.detail}`);
  const message =
    missing.length === 0
      ? "unitproof: everything is there."
      : `unitproof: all that is needed is there. Optional: ${rest.join("; ")}`;
  if ((await vscode.window.showInformationMessage(message, "Show All")) !== undefined) output.show();
}

async function saveReproducer(parts: Parts, ref: FindingRef): Promise<void> {
  const proof = parts.model.proof(ref.proof);
  const folder = proof === undefined ? undefined : vscode.Uri.joinPath(vscode.Uri.parse(proof.uri), "..");
  const target = await vscode.window.showSaveDialog({
    title: "Save the counterexample as a C program",
    filters: { C: ["c"] },
    ...(folder ? { defaultUri: vscode.Uri.joinPath(folder, `${proof?.name ?? "counterexample"}_reproducer.c`) } : {}),
  });
  if (target === undefined) return;
  // With changed inputs, the execution that is shown is saved.
  const shown = parts.trace.shown();
  const varied = shown?.changed === true && shown.ref.proof === ref.proof && shown.ref.finding === ref.finding;
  const params = { ...ref, path: target.fsPath, varied };
  const saved = await parts.session.execute<ReproducerResult>(Command.reproducer, params);
  const copy = "Copy Build Command";
  // The command is a long line; it also stands at the head of the file.
  const name = vscode.workspace.asRelativePath(saved.path);
  const picked = await vscode.window.showInformationMessage(
    `Saved ${name}. The command that builds and runs it stands at its head.`,
    copy,
    "Open",
  );
  if (picked === copy) await vscode.env.clipboard.writeText(saved.build);
  else if (picked === "Open") await vscode.window.showTextDocument(vscode.Uri.file(saved.path));
}

// ---- picking -----------------------------------------------------------------------------------------

function isTestItem(x: unknown): x is vscode.TestItem {
  return typeof x === "object" && x !== null && "busy" in x && "children" in x && "id" in x;
}

/** The counterexample at the cursor, the only one there is, or the one the user picks. */
export async function pickCounterexample(model: Model): Promise<FindingRef | undefined> {
  const editor = vscode.window.activeTextEditor;
  const all = model.counterexamples(editor?.document.uri);
  const here = all.find(
    ({ finding }) =>
      editor !== undefined &&
      vscode.Uri.parse(finding.uri).toString() === editor.document.uri.toString() &&
      asRange(finding.range).start.line === editor.selection.active.line,
  );
  const only = here ?? (all.length === 1 ? all[0] : undefined);
  if (only !== undefined) return { proof: only.proof.id, finding: only.finding.id };
  if (all.length === 0) {
    await vscode.window.showInformationMessage("There is no counterexample: no proof fails.");
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(
    all.map(({ proof, finding }) => ({
      label: finding.message,
      description: `${vscode.workspace.asRelativePath(vscode.Uri.parse(finding.uri))}:${finding.range.start.line + 1}`,
      detail: `in ${proof.name}`,
      ref: { proof: proof.id, finding: finding.id },
    })),
    { title: "Which counterexample?", matchOnDescription: true, matchOnDetail: true },
  );
  return picked?.ref;
}

async function pickProof(model: Model): Promise<FindingRef | undefined> {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const here = uri === undefined ? [] : model.inFile(uri);
  if (here.length === 1 && here[0] !== undefined) return { proof: here[0].id };
  const list = here.length > 0 ? here : [...model.proofs];
  const picked = await vscode.window.showQuickPick(
    list.map((p) => ({ label: p.name, description: p.title, ref: { proof: p.id } })),
    { title: "Which proof?" },
  );
  return picked?.ref;
}

/** What a click on the status bar offers: the proofs that do not hold first, then what can be done. */
async function showMenu({ model, session }: Parts): Promise<void> {
  type Entry = vscode.QuickPickItem & { run?: () => unknown };
  const command = (label: string, name: string): Entry => ({ label, run: () => vscode.commands.executeCommand(name) });
  const entries: Entry[] = [];
  const bad = worstFirst(model.proofs);
  for (const p of bad.slice(0, 20)) {
    const at = p.findings.find((f) => f.verdict === p.verdict) ?? p;
    const icon =
      p.verdict === "vacuous" ? "warning" : p.verdict === "failed" || p.verdict === "error" ? "error" : "question";
    entries.push({ label: `$(${icon}) ${p.name}`, description: p.title, run: () => show(at, false) });
  }
  if (bad.length > 0) entries.push({ label: "", kind: vscode.QuickPickItemKind.Separator });
  const proofs = [...model.proofs];
  const busy = proofs.some((p) => p.phase !== "idle");
  if (proofs.length === 0) entries.push(command("$(book) Your first unit proof", "unitproof.walkthrough"));
  if (!vscode.workspace.isTrusted) entries.push(command("$(shield) Manage trust", "workbench.trust.manage"));
  if (session.status === "running") {
    if (busy) entries.push(command("$(debug-stop) Stop verifying", "unitproof.cancel"));
    if (proofs.length > 0) entries.push(command("$(run-all) Verify all proofs", "unitproof.verifyAll"));
    if (model.counterexamples(undefined).some((c) => hasCounterexample(c.finding.verdict))) {
      entries.push(
        command("$(play) Replay a counterexample", "unitproof.replay"),
        command("$(list-tree) Show a counterexample's trace", "unitproof.trace"),
      );
    }
  }
  entries.push(
    command("$(add) New unit proof", "unitproof.newProof"),
    command("$(beaker) Show the Test Explorer", "workbench.view.testing.focus"),
    command("$(pulse) Check the installation", "unitproof.doctor"),
    command("$(refresh) Restart the server", "unitproof.restart"),
    command("$(output) Show the server's output", "unitproof.showOutput"),
    {
      label: "$(gear) Settings",
      run: () => vscode.commands.executeCommand("workbench.action.openSettings", "@ext:unitproof.unitproof"),
    },
  );
  const picked = await vscode.window.showQuickPick(entries, { title: "unitproof" });
  await picked?.run?.();
}
