/** Marks beside the line numbers: one per line, as the server says (Mark), hollow when stale. */
import * as vscode from "vscode";
import type { Model } from "./model";
import type { Mark, Verdict } from "./protocol";
import { icon, verdicts } from "./verdict";

export class Gutter implements vscode.Disposable {
  private readonly types = new Map<string, vscode.TextEditorDecorationType>();
  private readonly disposables: vscode.Disposable[] = [];

  constructor(private readonly model: Model) {
    for (const verdict of verdicts) {
      for (const stale of [false, true]) this.types.set(key(verdict, stale), decoration(verdict, stale));
    }
    this.disposables.push(
      model.onMarks((uri) => this.show((e) => e.document.uri.toString() === uri)),
      vscode.window.onDidChangeVisibleTextEditors(() => this.show()),
      vscode.workspace.onDidChangeConfiguration((e) => {
        if (e.affectsConfiguration("unitproof.gutter")) this.show();
      }),
    );
    this.show();
  }

  private show(which: (e: vscode.TextEditor) => boolean = () => true): void {
    const on = vscode.workspace.getConfiguration("unitproof").get<boolean>("gutter", true);
    for (const editor of vscode.window.visibleTextEditors) {
      if (!which(editor)) continue;
      const byType = new Map<string, vscode.Range[]>();
      for (const mark of on ? this.model.marks(editor.document.uri) : []) {
        const range = place(mark, editor.document);
        if (range === undefined) continue;
        const k = key(mark.verdict, mark.stale);
        byType.set(k, [...(byType.get(k) ?? []), range]);
      }
      for (const [k, type] of this.types) editor.setDecorations(type, byType.get(k) ?? []);
    }
  }

  dispose(): void {
    for (const d of this.disposables) d.dispose();
    for (const t of this.types.values()) t.dispose();
  }
}

function key(verdict: Verdict, stale: boolean): string {
  return stale ? `${verdict}-stale` : verdict;
}

function place(mark: Mark, document: vscode.TextDocument): vscode.Range | undefined {
  if (mark.line < 0 || mark.line >= document.lineCount) return undefined;
  return new vscode.Range(mark.line, 0, mark.line, 0);
}

function decoration(verdict: Verdict, stale: boolean): vscode.TextEditorDecorationType {
  const svg = (theme: "light" | "dark") =>
    vscode.Uri.parse(`data:image/svg+xml;base64,${Buffer.from(icon(verdict, stale, theme)).toString("base64")}`);
  return vscode.window.createTextEditorDecorationType({
    light: { gutterIconPath: svg("light"), gutterIconSize: "80%" },
    dark: { gutterIconPath: svg("dark"), gutterIconSize: "80%" },
    // A line typed above a mark moves it; one typed at its start does not stretch it.
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
}
