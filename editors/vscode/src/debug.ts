/**
 * Debugging a counterexample: in unitproof's own debugger (backwards as well, `unitproof dap`), or
 * natively, in CodeLLDB or the C/C++ extension, stopped at the violation.
 */
import * as vscode from "vscode";
import type { Model } from "./model";
import { nativeCommand, nativeConfiguration } from "./nativedebug";
import { Command, type DebugResult, type FindingRef, type NativeDebugResult } from "./protocol";
import { onPath } from "./server";
import type { Session } from "./session";

export function registerDebug(
  session: Session,
  model: Model,
  pick: () => Promise<FindingRef | undefined>,
): vscode.Disposable[] {
  return [
    vscode.debug.registerDebugAdapterDescriptorFactory("unitproof", {
      createDebugAdapterDescriptor: () => {
        if (session.program === undefined) throw new Error("The program unitproof was not found.");
        return new vscode.DebugAdapterExecutable(session.program, ["dap"]);
      },
    }),
    vscode.debug.registerDebugConfigurationProvider("unitproof", {
      resolveDebugConfiguration: async (_folder, config) => {
        if (!vscode.workspace.isTrusted) {
          throw new Error("This workspace is not trusted: debugging a counterexample compiles its files.");
        }
        // Complete: from the lens, or written by hand.
        if (typeof config["program"] === "string") return config;
        // F5 without a launch.json, or one that names a proof at most.
        const named = config["proof"] as string | undefined;
        const proof =
          named === undefined ? undefined : [...model.proofs].find((p) => p.id === named || p.name === named);
        if (named !== undefined && proof === undefined) throw new Error(`There is no proof named “${named}”.`);
        const finding = config["finding"] as string | undefined;
        const ref: FindingRef | undefined =
          proof === undefined ? await pick() : { proof: proof.id, ...(finding === undefined ? {} : { finding }) };
        if (ref === undefined) return undefined;
        const complete = await session.execute<DebugResult>(Command.debug, ref);
        return { ...complete, ...config, type: "unitproof", request: "launch", name: complete.name };
      },
    }),
  ];
}

/** Starts unitproof's own debugger on what the server answered to `debug`. */
export async function debugCounterexample(model: Model, ref: FindingRef, result: DebugResult): Promise<void> {
  const { proof } = model.resolve(ref);
  const folder = proof === undefined ? undefined : vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(proof.uri));
  await vscode.debug.startDebugging(folder, { ...result });
}

/** Starts the native debugger that is installed on a replay program the server has built. */
export async function debugNatively(built: NativeDebugResult): Promise<void> {
  const config = nativeConfiguration(built, (id) => vscode.extensions.getExtension(id) !== undefined);
  if (config === undefined) {
    const lldb = "Install CodeLLDB";
    const shell = !onPath("gdb", process) && onPath("lldb", process) ? "lldb" : "gdb";
    const copy = `Copy ${shell} Command`;
    const picked = await vscode.window.showInformationMessage(
      "Debugging natively in VS Code needs the extension CodeLLDB or C/C++. " +
        `In a terminal ${shell} does it without; unitproof's own debugger (“Debug”) needs neither.`,
      copy,
      lldb,
    );
    if (picked === copy) await vscode.env.clipboard.writeText(nativeCommand(built, shell));
    else if (picked === lldb)
      await vscode.commands.executeCommand("workbench.extensions.search", "vadimcn.vscode-lldb");
    return;
  }
  await vscode.debug.startDebugging(vscode.workspace.workspaceFolders?.[0], config);
}
