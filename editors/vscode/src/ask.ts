/**
 * The quick fix “Ask the assistant about this”: hands a finding to the chat of VS Code, as the tool `finding` of
 * unitproof mcp describes it.
 */
import * as vscode from "vscode";
import type { Session } from "./session";

/** The command of the quick fix. Its arguments are the ids of a proof and of a finding. */
export const askCommand = "unitproof.askAssistant";

/** What the chat begins with. The description follows. */
const question = "Explain this finding of unitproof, and suggest a correction of the code or of the proof:";

/** The data of the server's diagnostics (docs/protocol.md), which the client keeps. */
interface Finding extends vscode.Diagnostic {
  data?: { proofs?: string[]; finding?: string };
}

export function registerAsk(session: Session): vscode.Disposable[] {
  return [
    vscode.languages.registerCodeActionsProvider(
      [{ language: "c" }, { language: "cpp" }, { language: "rust" }],
      { provideCodeActions: (_document, _range, context) => actions(context.diagnostics) },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
    vscode.commands.registerCommand(askCommand, async (proof: string, finding: string) => {
      try {
        await ask(await session.tool("finding", { proof, id: finding }));
      } catch (e) {
        void vscode.window.showErrorMessage(e instanceof Error ? e.message : String(e));
      }
    }),
  ];
}

function actions(diagnostics: readonly vscode.Diagnostic[]): vscode.CodeAction[] {
  const list: vscode.CodeAction[] = [];
  for (const d of diagnostics as readonly Finding[]) {
    const proof = d.data?.proofs?.[0];
    const finding = d.data?.finding;
    if (d.source !== "unitproof" || proof === undefined || finding === undefined) continue;
    const action = new vscode.CodeAction("unitproof: Ask the assistant about this", vscode.CodeActionKind.QuickFix);
    action.diagnostics = [d];
    action.command = { title: action.title, command: askCommand, arguments: [proof, finding] };
    list.push(action);
  }
  return list;
}

/** Opens the chat with a description, or copies it where there is no chat. */
async function ask(description: string): Promise<void> {
  const query = `${question}\n\n${description}`;
  const commands = await vscode.commands.getCommands(true);
  if (commands.includes("workbench.action.chat.open")) {
    await vscode.commands.executeCommand("workbench.action.chat.open", { query, isPartialQuery: true });
    return;
  }
  await vscode.env.clipboard.writeText(query);
  void vscode.window.showInformationMessage("The finding is in the clipboard, for your assistant.");
}
