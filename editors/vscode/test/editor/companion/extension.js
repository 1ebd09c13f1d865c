// The companion of the editor tests: an extension that executes requests of the tests by VS Code's API, so that they
// need no palette and read states instead of the rows that are in sight. It listens on a socket beside the workspace;
// a request is a line of JSON, [NAME, ARGUMENTS...], and so is its answer: { result } or { error }.
//
// It also takes the place of an assistant without a model: its chat writes the text that it gets to a file.
const fs = require("node:fs");
const net = require("node:net");
const path = require("node:path");
const vscode = require("vscode");

const severities = ["Error", "Warning", "Info", "Hint"];

/**
 * Shows a file in an editor, with the cursor on a line (from 1), and returns the editor. A document that an extension
 * opens by openTextDocument stays open for minutes after its editor is closed; one that a command opens does not.
 */
async function show(file, line) {
  const at = new vscode.Position(line - 1, 0);
  const uri = vscode.Uri.file(file);
  for (let i = 0; i < 500; i++) {
    // What an earlier step has started may show its own file after this one.
    if (i % 100 === 0)
      await vscode.commands.executeCommand("vscode.open", uri, { preview: false, selection: new vscode.Range(at, at) });
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.uri.fsPath === uri.fsPath && editor.selection.active.line === at.line) return editor;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`line ${line} of ${file} is not shown`);
}

const requests = {
  /** Executes a command, and returns when it has ended. */
  run: async (id, ...args) => void (await vscode.commands.executeCommand(id, ...args)),

  /** Executes a command that waits for the user. Its errors are answered by “broken”. */
  begin: (id, ...args) => {
    vscode.commands.executeCommand(id, ...args).then(undefined, (e) => broken.push(`${id}: ${e.message}`));
  },

  /** The errors of the commands that were begun. */
  broken: () => broken.splice(0),

  /** Shows a file with the cursor on a line (from 1). */
  open: async (file, line) => void (await show(file, line)),

  /** Replaces a line (from 1) of a file; several lines may come instead. */
  replaceLine: async (file, line, text) => {
    const editor = await show(file, line);
    if (!(await editor.edit((edit) => edit.replace(editor.document.lineAt(line - 1).range, text))))
      throw new Error(`line ${line} of ${file} could not be replaced`);
  },

  /** Saves the active file. */
  save: async () => {
    if (!(await vscode.window.activeTextEditor?.document.save())) throw new Error("no file was saved");
  },

  /** The text of the active file. */
  text: () => vscode.window.activeTextEditor?.document.getText() ?? "",

  /** All problems, wherever they are shown: “Error: … at line 16 of ring.c (unitproof)”. */
  problems: () =>
    vscode.languages.getDiagnostics().flatMap(([uri, list]) =>
      list
        .filter((d) => d.severity !== vscode.DiagnosticSeverity.Hint)
        .map((d) => {
          const place = `${d.range.start.line + 1} of ${path.basename(uri.fsPath)} (${d.source ?? ""})`;
          return `${severities[d.severity]}: ${d.message.replaceAll("\n", " ")} at line ${place}`;
        }),
    ),

  /** The value of a setting that is in force. */
  setting: (name) => vscode.workspace.getConfiguration().get(name),

  /** The value of a setting without the workspace's own. */
  usual: (name) => {
    const known = vscode.workspace.getConfiguration().inspect(name);
    return known?.globalValue ?? known?.defaultValue;
  },

  /** The names of the tools of language models, and the answers of these calls. */
  call: async (calls) => {
    const answers = [];
    for (const { name, input } of calls) {
      try {
        const result = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
        answers.push({ text: result.content.map((part) => part.value).join("") });
      } catch (e) {
        answers.push({ error: String(e.message) });
      }
    }
    return { tools: vscode.lm.tools.map((t) => t.name), answers };
  },
};

const broken = [];

async function answer(line) {
  try {
    const [name, ...args] = JSON.parse(line);
    return { result: (await requests[name](...args)) ?? null };
  } catch (e) {
    return { error: String(e?.message ?? e) };
  }
}

exports.activate = (context) => {
  const folder = path.dirname(vscode.workspace.workspaceFolders[0].uri.fsPath);
  const socket = path.join(folder, "companion.sock");
  fs.rmSync(socket, { force: true }); // of the window before
  const server = net.createServer((connection) => {
    let text = "";
    connection.on("error", () => undefined); // the test has ended
    connection.on("data", async (chunk) => {
      text += chunk;
      if (text.endsWith("\n")) connection.end(`${JSON.stringify(await answer(text))}\n`);
    });
  });
  server.listen(socket);
  context.subscriptions.push(
    { dispose: () => server.close() },
    vscode.commands.registerCommand("workbench.action.chat.open", (options) =>
      fs.writeFileSync(path.join(folder, "asked.json"), JSON.stringify(options)),
    ),
  );
};
