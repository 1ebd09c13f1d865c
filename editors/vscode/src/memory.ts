/** The memory at a counterexample's violation, as the server draws it, in the theme's colours. */
import * as vscode from "vscode";

export class MemoryView implements vscode.Disposable, vscode.WebviewViewProvider {
  private view: vscode.WebviewView | undefined;
  private picture = "";
  private readonly registration: vscode.Disposable;

  constructor() {
    this.registration = vscode.window.registerWebviewViewProvider("unitproof.memory", this);
  }

  /** Shows a picture; "" hides the view. */
  async show(picture: string): Promise<void> {
    this.picture = picture;
    if (this.view !== undefined) this.view.webview.html = page(picture);
    await vscode.commands.executeCommand("setContext", "unitproof.hasMemory", picture !== "");
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    view.webview.options = { enableScripts: false, localResourceRoots: [] };
    view.webview.html = page(this.picture);
    view.onDidDispose(() => {
      if (this.view === view) this.view = undefined;
    });
  }

  dispose(): void {
    this.registration.dispose();
  }
}

/** Nothing is loaded and nothing is run. */
function page(picture: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Memory at the violation</title>
<style>
body {
  padding: 4px 10px;
  --bg: var(--vscode-editor-background);
  --fg: var(--vscode-editor-foreground);
  --soft: var(--vscode-descriptionForeground);
  --line: var(--vscode-contrastBorder, var(--vscode-widget-border, #8888));
  --panel: var(--vscode-editorWidget-background);
  --failed: var(--vscode-errorForeground);
  --bounded: var(--vscode-textLink-foreground);
}
</style>
</head>
<body>
${picture}
</body>
</html>`;
}
