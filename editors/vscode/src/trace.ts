/**
 * The trace of a counterexample as a tree: its inputs, then its steps under the calls they belong to.
 * A step that is chosen shows its place; next and previous walk along.
 */
import * as vscode from "vscode";
import type { MemoryView } from "./memory";
import { show } from "./places";
import { Command, type FindingRef, type TraceInput, type TraceResult, type TraceStep } from "./protocol";
import type { Session } from "./session";
import { nest, type StepNode } from "./tracetree";

type Node =
  | { is: "inputs"; inputs: TraceInput[] }
  | { is: "input"; input: TraceInput }
  | { is: "step"; node: StepNode; parent: Node | undefined };

const icons: Record<TraceStep["event"], [string, string?]> = {
  assign: ["edit"],
  branch: ["git-compare"],
  call: ["arrow-right"],
  return: ["arrow-left"],
  alloc: ["add"],
  free: ["trash"],
  assume: ["filter"],
  violation: ["error", "testing.iconFailed"],
};

export class TraceView implements vscode.Disposable, vscode.TreeDataProvider<Node> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  private readonly view: vscode.TreeView<Node>;
  private readonly here: vscode.TextEditorDecorationType;
  private readonly disposables: vscode.Disposable[] = [];
  private ref: FindingRef | undefined;
  private trace: TraceResult | undefined;
  private roots: Node[] = [];
  /** The steps in the order of execution. */
  private steps: Node[] = [];
  private current = -1;

  constructor(
    private readonly session: Session,
    private readonly memory: MemoryView,
  ) {
    this.view = vscode.window.createTreeView("unitproof.trace", { treeDataProvider: this });
    this.here = vscode.window.createTextEditorDecorationType({
      isWholeLine: true,
      backgroundColor: new vscode.ThemeColor("editor.stackFrameHighlightBackground"),
      overviewRulerColor: new vscode.ThemeColor("editor.stackFrameHighlightBackground"),
    });
    this.disposables.push(
      this.changed,
      this.view,
      this.here,
      this.view.onDidChangeSelection((e) => {
        const node = e.selection[0];
        if (node?.is === "step") void this.go(this.steps.indexOf(node), false);
        else if (node?.is === "input" && node.input.uri !== undefined && node.input.range !== undefined) {
          void show({ uri: node.input.uri, range: node.input.range }, true);
        }
      }),
      vscode.commands.registerCommand("unitproof.traceNext", () => this.go(this.current + 1, true)),
      vscode.commands.registerCommand("unitproof.tracePrevious", () => this.go(this.current - 1, true)),
      vscode.commands.registerCommand("unitproof.traceAll", () => this.again(true)),
      vscode.commands.registerCommand("unitproof.traceRelevant", () => this.again(false)),
      vscode.commands.registerCommand("unitproof.traceClose", () => this.close()),
      vscode.workspace.onDidChangeTextDocument((e) => {
        if (e.contentChanges.length > 0 && this.isOf(e.document.uri)) this.markHere(undefined);
      }),
      session.onStatus((s) => {
        if (s !== "running" && this.trace !== undefined) void this.close();
      }),
    );
  }

  /** Shows a trace the server has sent, and goes to its violation. */
  async open(ref: FindingRef, trace: TraceResult, all: boolean): Promise<void> {
    this.ref = ref;
    this.trace = trace;
    this.steps = [];
    const steps = nest(trace.steps).map((n) => this.stepNode(n, undefined));
    this.roots = trace.inputs.length > 0 ? [{ is: "inputs", inputs: trace.inputs }, ...steps] : steps;
    this.view.message = trace.title;
    await vscode.commands.executeCommand("setContext", "unitproof.hasTrace", true);
    await vscode.commands.executeCommand("setContext", "unitproof.traceAll", all);
    await this.memory.show(trace.memory ?? "");
    this.changed.fire();
    await vscode.commands.executeCommand("unitproof.trace.focus");
    const violation = trace.steps.findIndex((s) => s.event === "violation");
    await this.go(violation >= 0 ? violation : trace.steps.length - 1, true);
  }

  getChildren(node?: Node): Node[] {
    if (node === undefined) return this.roots;
    if (node.is === "inputs") return node.inputs.map((input) => ({ is: "input", input }));
    if (node.is === "step") return this.steps.filter((s) => s.is === "step" && s.parent === node);
    return [];
  }

  getParent(node: Node): Node | undefined {
    return node.is === "step" ? node.parent : undefined;
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.is) {
      case "inputs": {
        const item = new vscode.TreeItem("Inputs", vscode.TreeItemCollapsibleState.Expanded);
        item.iconPath = new vscode.ThemeIcon("symbol-variable");
        item.description = `${node.inputs.length}`;
        return item;
      }
      case "input": {
        const { variable, function: from, value, type, kind } = node.input;
        const item = new vscode.TreeItem(`${variable ?? from ?? kind} = ${value}`);
        item.description = [type, variable !== undefined && from !== undefined ? `from ${from}()` : undefined]
          .filter((s) => s !== undefined)
          .join(" ");
        item.iconPath = new vscode.ThemeIcon("symbol-constant");
        return item;
      }
      case "step": {
        const { step, children } = node.node;
        const item = new vscode.TreeItem(
          step.text,
          children.length > 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None,
        );
        const was = step.old !== undefined && step.event === "assign" ? `was ${step.old}, ` : "";
        const gap = step.skipped === undefined ? "" : `… ${step.skipped.iterations} more before, `;
        const file = vscode.workspace.asRelativePath(vscode.Uri.parse(step.uri));
        item.description = `${gap}${was}${file}:${step.range.start.line + 1}`;
        const [name, colour] = icons[step.event] ?? ["circle-small"];
        item.iconPath = new vscode.ThemeIcon(name, colour === undefined ? undefined : new vscode.ThemeColor(colour));
        item.tooltip = `${step.function}: ${step.text}`;
        return item;
      }
    }
  }

  private stepNode(node: StepNode, parent: Node | undefined): Node {
    const made: Node = { is: "step", node, parent };
    this.steps.push(made);
    for (const child of node.children) this.stepNode(child, made);
    return made;
  }

  private async go(index: number, select: boolean): Promise<void> {
    const node = this.steps[index];
    if (node?.is !== "step") return;
    this.current = index;
    const editor = await show(node.node.step, true);
    this.markHere(editor, node.node.step);
    if (!select || !this.view.visible) return;
    // A tree that is being laid out anew, as where the memory comes beside it, does not know its elements yet: the
    // step is shown then, and not selected.
    await this.view.reveal(node, { select: true, focus: false }).then(undefined, () => undefined);
  }

  private markHere(editor: vscode.TextEditor | undefined, step?: TraceStep): void {
    for (const e of vscode.window.visibleTextEditors) if (e !== editor) e.setDecorations(this.here, []);
    if (editor === undefined || step === undefined) return;
    const line = Math.min(step.range.start.line, editor.document.lineCount - 1);
    editor.setDecorations(this.here, [new vscode.Range(line, 0, line, 0)]);
  }

  private async again(all: boolean): Promise<void> {
    if (this.ref === undefined) return;
    const trace = await this.session.execute<TraceResult>(Command.trace, { ...this.ref, all });
    await this.open(this.ref, trace, all);
  }

  private async close(): Promise<void> {
    // When the view goes, VS Code would put another one in its place, a new terminal as a rule.
    if (this.view.visible) await vscode.commands.executeCommand("workbench.action.closePanel");
    this.ref = undefined;
    this.trace = undefined;
    this.roots = [];
    this.steps = [];
    this.current = -1;
    this.markHere(undefined);
    this.changed.fire();
    await this.memory.show("");
    await vscode.commands.executeCommand("setContext", "unitproof.hasTrace", false);
    await this.session.execute(Command.hideTrace).catch(() => undefined);
  }

  private isOf(uri: vscode.Uri): boolean {
    return this.trace?.steps.some((s) => vscode.Uri.parse(s.uri).toString() === uri.toString()) ?? false;
  }

  dispose(): void {
    for (const d of this.disposables) d.dispose();
  }
}
