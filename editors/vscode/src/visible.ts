/** Tells the server what the user looks at, so that it is verified first. */
import * as vscode from "vscode";
import type { Session } from "./session";

/** How long the cursor rests before it is news, in milliseconds. */
const REST = 200;

export function reportVisible(session: Session): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const send = () => {
    const active = vscode.window.activeTextEditor;
    const uris = vscode.window.visibleTextEditors
      .map((e) => e.document)
      .filter((d) => d.uri.scheme === "file")
      .map((d) => d.uri.toString());
    const here = active !== undefined && active.document.uri.scheme === "file";
    session.sendVisible({
      uris,
      ...(here ? { active: active.document.uri.toString(), line: active.selection.active.line } : {}),
    });
  };
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(send, REST);
  };
  return vscode.Disposable.from(
    vscode.window.onDidChangeVisibleTextEditors(soon),
    vscode.window.onDidChangeActiveTextEditor(soon),
    vscode.window.onDidChangeTextEditorSelection(soon),
    session.onStatus(soon),
    { dispose: () => clearTimeout(timer) },
  );
}
