// An assistant without a model, for the editor test: its chat writes the text that it is given to a file, and its
// command calls tools of VS Code's language models, as a file says.
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");

exports.activate = (context) => {
  const folder = path.dirname(vscode.workspace.workspaceFolders[0].uri.fsPath);
  const write = (name, value) => fs.writeFileSync(path.join(folder, name), JSON.stringify(value));
  const call = async ({ name, input }) => {
    try {
      const result = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
      return { text: result.content.map((part) => part.value).join("") };
    } catch (e) {
      return { error: String(e.message) };
    }
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("workbench.action.chat.open", (options) => write("asked.json", options)),
    vscode.commands.registerCommand("test.assistant.call", async () => {
      const calls = JSON.parse(fs.readFileSync(path.join(folder, "calls.json"), "utf8"));
      const answers = [];
      for (const c of calls) answers.push(await call(c));
      write("answers.json", { tools: vscode.lm.tools.map((t) => t.name), answers });
    }),
  );
};
