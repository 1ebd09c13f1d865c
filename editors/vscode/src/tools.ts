/**
 * The tools of unitproof mcp as tools of VS Code's language models (`vscode.lm.registerTool`): they work on the session
 * of the editor, so they see unsaved texts.
 *
 * VS Code has the interface from 1.95 on; older versions lack it, and the extension does without. The list is that of
 * package.json, which a test of the server compares with the server's own.
 */
import * as vscode from "vscode";
import type { Session } from "./session";

/** The part of the interface that is used, which the types of the oldest supported version lack. */
interface Models {
  registerTool?(
    name: string,
    tool: {
      prepareInvocation?(): { invocationMessage: string };
      invoke(options: { input: object }, token: vscode.CancellationToken): Promise<unknown>;
    },
  ): vscode.Disposable;
}

interface Results {
  LanguageModelTextPart?: new (text: string) => unknown;
  LanguageModelToolResult?: new (parts: unknown[]) => unknown;
}

/** The prefix of the tools' names in VS Code, where those of all extensions are in one list. */
const prefix = "unitproof_";

interface Declared {
  name: string;
  displayName: string;
}

export function registerTools(context: vscode.ExtensionContext, session: Session): vscode.Disposable[] {
  const models = (vscode as unknown as { lm?: Models }).lm;
  const { LanguageModelTextPart: Part, LanguageModelToolResult: Result } = vscode as unknown as Results;
  if (models?.registerTool === undefined || Part === undefined || Result === undefined) return [];
  const declared = context.extension.packageJSON.contributes.languageModelTools as Declared[];
  const list: vscode.Disposable[] = [];
  for (const { name, displayName } of declared) {
    list.push(
      models.registerTool(name, {
        prepareInvocation: () => ({ invocationMessage: displayName }),
        invoke: async ({ input }, token) =>
          new Result([new Part(await session.tool(name.slice(prefix.length), input, token))]),
      }),
    );
  }
  return list;
}
