/** The status bar: how many proofs hold, whether something is being verified, and the way to the menu. */
import * as vscode from "vscode";
import type { Model } from "./model";
import type { Session } from "./session";
import { spoken, statusText } from "./statustext";
import { type Tally, tally, worstFirst } from "./tally";

export class StatusBar implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("unitproof", vscode.StatusBarAlignment.Left, 40);
  private readonly disposables: vscode.Disposable[] = [this.item];
  /** The most proofs that were busy at once since all were idle: n in “k of n”. */
  private wave = 0;

  constructor(
    private readonly model: Model,
    private readonly session: Session,
  ) {
    this.item.name = "unitproof";
    this.item.command = "unitproof.menu";
    this.disposables.push(
      model.onProofs(() => this.show()),
      session.onStatus(() => this.show()),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.show()),
      vscode.window.onDidChangeActiveTextEditor(() => this.show()),
      vscode.workspace.onDidChangeConfiguration((e) => {
        if (e.affectsConfiguration("unitproof.statusBar")) this.show();
      }),
    );
    this.show();
  }

  private show(): void {
    const t = tally(this.model.proofs);
    this.wave = t.busy === 0 ? 0 : Math.max(this.wave, t.busy);
    const on = vscode.workspace.getConfiguration("unitproof").get<boolean>("statusBar", true);
    const trouble = this.session.status === "missing" || this.session.status === "failed";
    if (!on || (t.all === 0 && !trouble && !this.invites())) {
      this.item.hide();
      return;
    }
    this.item.text = trouble ? "$(alert) unitproof" : statusText(t, this.wave, vscode.workspace.isTrusted);
    this.item.tooltip = trouble ? "unitproof is not running. Click for what to do." : this.tooltip(t);
    this.item.backgroundColor = trouble ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
    this.item.accessibilityInformation = { label: trouble ? "unitproof is not running" : spoken(t) };
    this.item.show();
  }

  /** Reports whether a folder without proofs could get one now: a C file is shown, and the server runs. */
  private invites(): boolean {
    return this.session.status === "running" && vscode.window.activeTextEditor?.document.languageId === "c";
  }

  private tooltip(t: Tally): vscode.MarkdownString {
    const text = new vscode.MarkdownString("**unitproof**: ").appendText(spoken(t));
    if (t.all === 0) {
      text.appendMarkdown("\n\n").appendText("“Prove this function” over a function of a C file writes its proof.");
    }
    if (!vscode.workspace.isTrusted) {
      text.appendMarkdown("\n\n").appendText("This workspace is not trusted: nothing is compiled or verified.");
    }
    for (const p of worstFirst(this.model.proofs).slice(0, 8)) {
      text.appendMarkdown("\n\n- ").appendText(`${p.name}: ${p.title}`);
    }
    return text;
  }

  dispose(): void {
    for (const d of this.disposables) d.dispose();
  }
}
