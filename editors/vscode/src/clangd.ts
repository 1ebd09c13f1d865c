/**
 * Beside clangd: tells it where unitproof.h lies, in the folder's `.clangd`, after asking. unitproof
 * itself needs no -I.
 */
import * as path from "node:path";
import * as vscode from "vscode";
import { withIncludeFolder } from "./clangdfile";
import { Command, type DoctorResult } from "./protocol";
import type { Session } from "./session";

export async function configureClangd(session: Session): Promise<void> {
  const folder = await pickFolder();
  if (folder === undefined) return;
  const doctor = await session.execute<DoctorResult>(Command.doctor);
  const include = doctor.parts.find((p) => p.name.includes("unitproof.h") && path.isAbsolute(p.detail))?.detail;
  if (include === undefined)
    throw new Error("The server does not report where unitproof.h is; “unitproof doctor” shows the reason.");

  const file = vscode.Uri.joinPath(folder.uri, ".clangd");
  let before: string | undefined;
  try {
    before = Buffer.from(await vscode.workspace.fs.readFile(file)).toString("utf8");
  } catch {
    before = undefined;
  }
  const after = withIncludeFolder(before, include);
  if (after === undefined) {
    await vscode.window.showInformationMessage(`clangd knows already where unitproof.h is: ${file.fsPath}`);
    return;
  }
  const write = before === undefined ? "Create the File" : "Change the File";
  const picked = await vscode.window.showInformationMessage(
    `Add the folder of unitproof.h to ${file.fsPath}?`,
    { modal: true, detail: `clangd then finds it without any -I:\n\n-I${include}` },
    write,
  );
  if (picked !== write) return;
  await vscode.workspace.fs.writeFile(file, Buffer.from(after, "utf8"));
  // clangd reads the file again by itself; its diagnostics follow with the next edit or restart.
  const commands = await vscode.commands.getCommands(true);
  if (commands.includes("clangd.restart")) await vscode.commands.executeCommand("clangd.restart");
}

async function pickFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0) throw new Error("No folder is open.");
  if (folders.length === 1) return folders[0];
  return vscode.window.showWorkspaceFolderPick({ placeHolder: "The folder whose .clangd is meant" });
}
