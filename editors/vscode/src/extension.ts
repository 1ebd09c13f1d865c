/**
 * The extension: starts the server and shows what it says. No verification logic is here.
 *
 * Reading order: protocol.ts (what is said), session.ts (the client), model.ts (what is known), then
 * the views: tests.ts, gutter.ts, status.ts, trace.ts, memory.ts, debug.ts, and commands.ts.
 */
import * as vscode from "vscode";
import { registerAsk } from "./ask";
import { registerAssistant } from "./assistant";
import { configureClangd } from "./clangd";
import { type Parts, pickCounterexample, registerCommands, runServerCommand } from "./commands";
import { registerDebug } from "./debug";
import { Gutter } from "./gutter";
import { MemoryView } from "./memory";
import { Model } from "./model";
import { newProof } from "./newproof";
import { Command } from "./protocol";
import { Session } from "./session";
import { StatusBar } from "./status";
import { TestView } from "./tests";
import { registerTools } from "./tools";
import { TraceView } from "./trace";
import { reportVisible } from "./visible";

let session: Session | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("unitproof (extension)", { log: true });
  const output = vscode.window.createOutputChannel("unitproof");
  const model = new Model();
  // Lenses run before `parts` is complete only if the server is quicker than this function.
  let parts: Parts | undefined;
  const ui = (command: string, args: unknown[], next: () => Thenable<unknown>) =>
    parts === undefined ? next() : runServerCommand(parts, command, args, next);
  const started = new Session(context, model, log, output, ui);
  session = started;
  const tests = new TestView(model, started, log, async (ref) => {
    await vscode.commands.executeCommand(Command.debug, ref);
  });
  const memory = new MemoryView();
  const trace = new TraceView(started, memory);
  parts = { model, session: started, tests, trace, output };

  context.subscriptions.push(
    log,
    output,
    model,
    started,
    tests,
    trace,
    memory,
    new Gutter(model),
    new StatusBar(model, started),
    reportVisible(started),
    ...registerCommands(parts),
    ...registerAssistant(context),
    ...registerTools(context, started),
    ...registerAsk(started),
    ...registerDebug(started, model, () => pickCounterexample(model)),
    command("unitproof.configureClangd", () => configureClangd(started)),
    command("unitproof.newProof", newProof),
  );
  await started.start();
}

/** The server must be gone when the window is. */
export async function deactivate(): Promise<void> {
  await session?.stop();
}

function command(name: string, fn: () => Promise<void>): vscode.Disposable {
  return vscode.commands.registerCommand(name, async () => {
    try {
      await fn();
    } catch (e) {
      void vscode.window.showErrorMessage(e instanceof Error ? e.message : String(e));
    }
  });
}
