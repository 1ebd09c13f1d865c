/**
 * The server for assistants (unitproof mcp), as VS Code's own assistants find it.
 *
 * VS Code has the interface from 1.101 on; older versions lack it, and the extension does without.
 */
import * as vscode from "vscode";
import { findServer } from "./server";

/** The part of the interface that is used, which the types of the oldest supported version lack. */
interface Definitions {
  registerMcpServerDefinitionProvider?(
    id: string,
    provider: { onDidChangeMcpServerDefinitions?: vscode.Event<void>; provideMcpServerDefinitions(): unknown[] },
  ): vscode.Disposable;
}

type Definition = new (label: string, command: string, args: string[], env: object, version: string) => unknown;

/** The name of the provider in package.json. */
export const providerId = "unitproof.assistant";

/** Registers a server for each folder of a trusted workspace. */
export function registerAssistant(context: vscode.ExtensionContext): vscode.Disposable[] {
  const register = (vscode as unknown as { lm?: Definitions }).lm;
  const definition = (vscode as unknown as { McpStdioServerDefinition?: Definition }).McpStdioServerDefinition;
  if (register?.registerMcpServerDefinitionProvider === undefined || definition === undefined) return [];
  const changed = new vscode.EventEmitter<void>();
  let provided: vscode.Disposable;
  try {
    provided = register.registerMcpServerDefinitionProvider(providerId, {
      onDidChangeMcpServerDefinitions: changed.event,
      provideMcpServerDefinitions: () => servers(context, definition),
    });
  } catch (e) {
    // Versions in which the interface is a proposal refuse it. The proofs do not depend on it.
    console.warn("no server for assistants is registered:", e);
    return [changed];
  }
  const fire = () => changed.fire();
  return [
    provided,
    changed,
    vscode.workspace.onDidChangeWorkspaceFolders(fire),
    vscode.workspace.onDidGrantWorkspaceTrust(fire),
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration("unitproof.path")) fire();
    }),
  ];
}

function servers(context: vscode.ExtensionContext, definition: Definition): unknown[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter((f) => f.uri.scheme === "file");
  if (!vscode.workspace.isTrusted) return [];
  try {
    const { command } = findServer({
      setting: vscode.workspace.getConfiguration("unitproof").get<string>("path", ""),
      folder: folders[0]?.uri.fsPath,
      extension: context.extensionPath,
      env: process.env,
      platform: process.platform,
    });
    const version = String(context.extension.packageJSON.version);
    return folders.map((f) => {
      const label = folders.length > 1 ? `unitproof (${f.name})` : "unitproof";
      return new definition(label, command, ["mcp", "--attach=auto", f.uri.fsPath], {}, version);
    });
  } catch {
    return []; // the session says what is missing
  }
}
