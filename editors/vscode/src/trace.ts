/**
 * The trace of a counterexample as a tree: its inputs, then its steps under the calls they belong to.
 * A step that is chosen shows its place; next and previous walk along. An input can be changed (play.ts): the trace is
 * that of the changed execution then.
 */
import * as vscode from "vscode";
import type { MemoryView } from "./memory";
import { changeInput } from "./play";
import { show } from "./places";
import {
  Command,
  type ExcludeResult,
  type FindingRef,
  type TraceInput,
  type TraceResult,
  type TraceStep,
} from "./protocol";
import type { Session } from "./session";
import { nest, type StepNode } from "./tracetree";

type Node =
  | { is: "set"; text: string | undefined }
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

/** What stands before the sentence about an execution with changed inputs. */
const ends: Record<NonNullable<TraceResult["end"]>, string> = {
  fails: "✗ ",
  other: "✗ ",
  holds: "✓ ",
  excluded: "⊘ ",
  unknown: "? ",
};

const noMemory = "<p>The picture shows the memory at a violation; this execution has none.</p>";

function isInput(node: unknown): node is { is: "input"; input: TraceInput } {
  return typeof node === "object" && node !== null && "is" in node && node.is === "input";
}

async function pickInput(inputs: TraceInput[]): Promise<TraceInput | undefined> {
  const items = inputs.map((input) => ({
    label: `${input.variable ?? input.function ?? input.kind} = ${input.value}`,
    ...(input.type === undefined ? {} : { description: input.type }),
    input,
  }));
  return (await vscode.window.showQuickPick(items, { title: "Which input?" }))?.input;
}

export class TraceView implements vscode.Disposable, vscode.TreeDataProvider<Node> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  private readonly view: vscode.TreeView<Node>;
  private readonly here: vscode.TextEditorDecorationType;
  private readonly disposables: vscode.Disposable[] = [];
  private ref: FindingRef | undefined;
  private all = false;
  /** What was changed last. */
  private changes: { input: number; value: string }[] = [];
  private trace: TraceResult | undefined;
  private roots: Node[] = [];
  /** The steps in the order of execution. */
  private steps: Node[] = [];
  private current = -1;
  /** Ends when all that was begun has ended. */
  private turn: Promise<void> = Promise.resolve();

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
        if (node?.is === "step") void this.inTurn(() => this.go(this.steps.indexOf(node), false));
        else if (node?.is === "input" && node.input.uri !== undefined && node.input.range !== undefined) {
          void show({ uri: node.input.uri, range: node.input.range }, true);
        }
      }),
      vscode.commands.registerCommand("unitproof.traceNext", () => this.step(1)),
      vscode.commands.registerCommand("unitproof.tracePrevious", () => this.step(-1)),
      vscode.commands.registerCommand("unitproof.traceAll", () => this.again(true)),
      vscode.commands.registerCommand("unitproof.traceRelevant", () => this.again(false)),
      vscode.commands.registerCommand("unitproof.traceClose", () => this.close()),
      vscode.commands.registerCommand("unitproof.traceAnother", () => this.request(Command.another)),
      vscode.commands.registerCommand("unitproof.traceReset", () => this.request(Command.trace)),
      vscode.commands.registerCommand("unitproof.traceWhen", () => this.when()),
      vscode.commands.registerCommand("unitproof.changeInput", (node: unknown) => this.change(node)),
      vscode.workspace.onDidChangeTextDocument((e) => {
        if (e.contentChanges.length > 0 && this.isOf(e.document.uri)) this.markHere(undefined);
      }),
      session.onStatus((s) => {
        if (s !== "running" && this.trace !== undefined) void this.close();
      }),
    );
  }

  /** Shows a trace the server has sent, and goes to its violation. Quietly: the focus stays where it is. */
  async open(ref: FindingRef, trace: TraceResult, all: boolean, quietly = false): Promise<void> {
    return this.inTurn(() => this.openNow(ref, trace, all, quietly));
  }

  private async openNow(ref: FindingRef, trace: TraceResult, all: boolean, quietly: boolean): Promise<void> {
    this.ref = { proof: ref.proof, finding: trace.finding };
    this.all = all;
    this.trace = trace;
    this.steps = [];
    const steps = nest(trace.steps).map((n) => this.stepNode(n, undefined));
    this.roots = trace.inputs.length > 0 ? [{ is: "inputs", inputs: trace.inputs }, ...steps] : steps;
    this.roots.unshift({ is: "set", text: trace.failingSet });
    this.view.message = `${trace.end === undefined ? "" : ends[trace.end]}${trace.title}`;
    await vscode.commands.executeCommand("setContext", "unitproof.hasTrace", true);
    await vscode.commands.executeCommand("setContext", "unitproof.traceChanged", trace.end !== undefined);
    await vscode.commands.executeCommand("setContext", "unitproof.traceAll", all);
    // The view stays while inputs are changed: one that is hidden and shown again may come back empty.
    await this.memory.show(trace.memory ?? (trace.end === undefined ? "" : noMemory));
    this.changed.fire();
    if (!quietly) await vscode.commands.executeCommand("unitproof.trace.focus");
    const violation = trace.steps.findIndex((s) => s.event === "violation");
    await this.go(violation >= 0 ? violation : trace.steps.length - 1, !quietly);
  }

  /**
   * Opening, stepping and closing wait for each other: a step that selects its row after the panel was closed would
   * open the panel again, without the view.
   */
  private inTurn(action: () => Promise<void>): Promise<void> {
    const done = this.turn.then(action);
    this.turn = done.catch(() => undefined);
    return done;
  }

  /** The counterexample that is shown, and whether it has other inputs than the one that was found. */
  shown(): { ref: FindingRef; changed: boolean } | undefined {
    return this.ref === undefined ? undefined : { ref: this.ref, changed: this.trace?.end !== undefined };
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
      case "set": {
        const item = new vscode.TreeItem(node.text ?? "When does it fail?");
        item.iconPath = new vscode.ThemeIcon(node.text === undefined ? "question" : "filter-filled");
        if (node.text === undefined) {
          item.tooltip = "Search for the inputs that fail";
          item.command = { command: "unitproof.traceWhen", title: "When Does It Fail?" };
        } else item.tooltip = node.text;
        return item;
      }
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
        item.contextValue = "input";
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

  private step(by: number): Promise<void> {
    return this.inTurn(() => this.go(this.current + by, true));
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
    const command = this.trace?.end === undefined ? Command.trace : Command.vary;
    await this.request(command, { all, again: true, changes: this.changes });
  }

  /** Shows the answer of a command that returns a trace. */
  private async request(command: string, more: object = {}): Promise<void> {
    const ref = this.ref;
    if (ref === undefined) return;
    const all = this.all;
    try {
      const trace = await vscode.window.withProgress({ location: { viewId: "unitproof.trace" } }, () =>
        this.session.execute<TraceResult>(command, { ...ref, all, ...more }),
      );
      this.changes = "changes" in more ? this.changes : [];
      await this.open(ref, trace, "all" in more ? more.all === true : all);
    } catch (e) {
      void vscode.window.showInformationMessage(e instanceof Error ? e.message : String(e));
    }
  }

  /** Searches for the inputs that fail; the first row of the tree shows them. */
  private async when(): Promise<void> {
    const ref = this.ref;
    if (ref === undefined) return;
    try {
      const found = await vscode.window.withProgress({ location: { viewId: "unitproof.trace" } }, () =>
        this.session.execute<ExcludeResult>(Command.exclude, ref),
      );
      const first = this.roots[0];
      if (this.ref !== ref || first?.is !== "set") return;
      first.text = found.set ?? found.summary;
      this.changed.fire();
    } catch (e) {
      void vscode.window.showInformationMessage(e instanceof Error ? e.message : String(e));
    }
  }

  /** Lets the user type another value of an input: of the tree's row, or of the one that is picked. */
  private async change(node: unknown): Promise<void> {
    const ref = this.ref;
    const inputs = this.trace?.inputs ?? [];
    if (ref === undefined || inputs.length === 0) return;
    const input = isInput(node) ? node.input : await pickInput(inputs);
    if (input === undefined) return;
    const before = this.changes;
    let typed = false;
    await changeInput(input, async (value) => {
      this.changes = value === undefined ? [] : [{ input: input.index, value }];
      const params = { ...ref, all: this.all, again: typed, changes: this.changes };
      typed = true;
      const trace = await this.session.execute<TraceResult>(Command.vary, params);
      if (value === undefined) this.changes = before;
      await this.open(ref, trace, this.all, true);
    });
  }

  private async close(): Promise<void> {
    await this.inTurn(() => this.closeNow());
    await this.session.execute(Command.hideTrace).catch(() => undefined);
  }

  private async closeNow(): Promise<void> {
    // When the view goes, VS Code would put another one in its place, a new terminal as a rule.
    if (this.view.visible) await vscode.commands.executeCommand("workbench.action.closePanel");
    this.ref = undefined;
    this.trace = undefined;
    this.changes = [];
    this.roots = [];
    this.steps = [];
    this.current = -1;
    this.markHere(undefined);
    this.changed.fire();
    await this.memory.show("");
    await vscode.commands.executeCommand("setContext", "unitproof.hasTrace", false);
  }

  private isOf(uri: vscode.Uri): boolean {
    return this.trace?.steps.some((s) => vscode.Uri.parse(s.uri).toString() === uri.toString()) ?? false;
  }

  dispose(): void {
    for (const d of this.disposables) d.dispose();
  }
}
