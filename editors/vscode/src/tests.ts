/**
 * The Test Explorer: every proof a test item under its file, or under the function that it is about (setting
 * unitproof.groupProofs); its failures as children.
 *
 * Two sorts of runs report results. A run that the user started belongs to the proofs it was started
 * for. All else (saves, edits, results kept from an earlier session) goes into a background run, which is
 * continuous, so that VS Code shows the results and opens nothing.
 */
import * as vscode from "vscode";
import { coverageDetails, loadCoverage } from "./coverage";
import type { Model } from "./model";
import {
  Command,
  type ProofItem,
  type ProofsResult,
  type StrengthResult,
  type Subject,
  type VerifyParams,
} from "./protocol";
import { asLocation, asRange } from "./places";
import type { Session } from "./session";
import {
  description,
  failures,
  findingMessage,
  isSettled,
  label,
  placeName,
  resultKey,
  skipReason,
} from "./testresult";

/** What an item stands for. */
interface Meaning {
  proof: string;
  finding?: string;
}

interface Run {
  run: vscode.TestRun;
  /** The proofs it reports, by id; those without a result yet are in `open`. */
  proofs: Set<string>;
  open: Set<string>;
  /** What it has said of each proof (resultKey). */
  said: Map<string, string>;
}

export class TestView implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController("unitproof", "unitproof");
  private readonly runProfile: vscode.TestRunProfile;
  private readonly coverageProfile: vscode.TestRunProfile;
  private readonly disposables: vscode.Disposable[] = [];
  private readonly items = new Map<string, vscode.TestItem>();
  private readonly meaning = new WeakMap<vscode.TestItem, Meaning>();
  /** What VS Code was last told about each proof (resultKey). */
  private readonly reported = new Map<string, { key: string; stale: boolean }>();
  private readonly requested = new Set<Run>();
  private background: Run | undefined;
  /** The functions that proofs are about, by id of the proof; empty while proofs are grouped by file. */
  private subjects = new Map<string, Subject>();
  private regrouping: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly model: Model,
    private readonly session: Session,
    private readonly log: vscode.LogOutputChannel,
    private readonly debug: (ref: { proof: string; finding?: string }) => Promise<void>,
  ) {
    this.runProfile = this.controller.createRunProfile(
      "Verify",
      vscode.TestRunProfileKind.Run,
      (request, token) => this.run(request, token, false),
      true,
      undefined,
      true,
    );
    this.coverageProfile = this.controller.createRunProfile(
      "Verify with Coverage",
      vscode.TestRunProfileKind.Coverage,
      (request, token) => this.run(request, token, true),
      true,
    );
    this.coverageProfile.loadDetailedCoverage = (_run, file) => Promise.resolve(coverageDetails(file));
    const strengthProfile = this.controller.createRunProfile(
      "Run Strength",
      vscode.TestRunProfileKind.Run,
      (request, token) => this.runStrength(request, token),
    );
    const debugProfile = this.controller.createRunProfile(
      "Debug the Counterexample",
      vscode.TestRunProfileKind.Debug,
      (request) => this.debugRun(request),
      true,
    );
    this.controller.refreshHandler = () => vscode.commands.executeCommand("unitproof.refresh");
    this.disposables.push(
      this.controller,
      this.runProfile,
      this.coverageProfile,
      strengthProfile,
      debugProfile,
      model.onProofs(({ changed, removed }) => {
        for (const id of removed) this.remove(id);
        for (const p of changed) this.place(p);
        this.showFailing();
        for (const p of changed) this.follow(p);
        this.endIfDone();
        if (byFunction()) this.regroupSoon();
      }),
      vscode.workspace.onDidChangeConfiguration((e) => {
        if (e.affectsConfiguration("unitproof.groupProofs")) void this.regroup();
      }),
    );
  }

  /** What a test item of ours stands for; the menus of the Test Explorer pass the item. */
  refOf(item: vscode.TestItem): Meaning | undefined {
    return this.meaning.get(item);
  }

  // ---- the tree ------------------------------------------------------------------------------------

  private place(p: ProofItem): void {
    const uri = vscode.Uri.parse(p.uri);
    const group = this.groupItem(p, uri);
    let item = this.items.get(p.id);
    if (item === undefined || item.uri?.toString() !== uri.toString() || item.parent !== group) {
      if (item !== undefined) this.remove(p.id);
      item = this.controller.createTestItem(p.id, p.name, uri);
      this.items.set(p.id, item);
      this.meaning.set(item, { proof: p.id });
      // Removing the last one of a group removes the group.
      if (this.controller.items.get(group.id) === undefined) this.controller.items.add(group);
      group.children.add(item);
    }
    item.label = label(p.name, p.verdict);
    item.range = asRange(p.range);
    item.sortText = String(p.range.start.line).padStart(7, "0");
    item.description = description(p);
    const kept = failures(p).map((f) => {
      const id = `${p.id}#${f.id}`;
      const child = item.children.get(id) ?? this.controller.createTestItem(id, "", vscode.Uri.parse(f.uri));
      child.label = label(findingMessage(f), f.verdict);
      child.description = placeName(f, p);
      // No range: VS Code would put its own sign into the gutter, over the mark of the line.
      child.sortText = String(f.range.start.line).padStart(7, "0");
      this.meaning.set(child, { proof: p.id, finding: f.id });
      return child;
    });
    item.children.replace(kept);
  }

  /** The item of a proof's function if proofs are grouped by function and it is known, else that of its file. */
  private groupItem(p: ProofItem, file: vscode.Uri): vscode.TestItem {
    const subject = this.subjects.get(p.id);
    const uri = subject === undefined ? file : vscode.Uri.parse(subject.uri);
    const path = vscode.workspace.asRelativePath(uri);
    const id = subject === undefined ? `file:${uri.toString()}` : `function:${uri.toString()}#${subject.name}`;
    let item = this.controller.items.get(id);
    if (item === undefined) {
      item = this.controller.createTestItem(id, subject === undefined ? path : subject.name, uri);
      if (subject !== undefined) item.description = path;
      this.controller.items.add(item);
    }
    if (subject !== undefined) item.range = asRange(subject.range);
    return item;
  }

  /** Groups the proofs once their changes have come to rest: a proof's function is known by its result. */
  private regroupSoon(): void {
    clearTimeout(this.regrouping);
    this.regrouping = setTimeout(() => void this.regroup(), REGROUP_DELAY);
  }

  private async regroup(): Promise<void> {
    try {
      const list = byFunction() ? await this.session.subjects() : [];
      this.subjects = new Map(byFunction() ? list.map((s) => [s.proof, s]) : []);
    } catch (e) {
      this.log.warn(`grouping the proofs: ${String(e)}`);
      return;
    }
    for (const p of [...this.model.proofs]) {
      const before = this.items.get(p.id);
      this.place(p);
      // A new item has no result yet.
      if (this.items.get(p.id) !== before) this.follow(p);
    }
    this.showFailing();
    this.endIfDone();
  }

  private remove(id: string): void {
    const item = this.items.get(id);
    this.items.delete(id);
    this.reported.delete(id);
    for (const r of this.allRuns()) r.open.delete(id);
    const parent = item?.parent;
    parent?.children.delete(id);
    if (parent !== undefined && parent.children.size === 0) this.controller.items.delete(parent.id);
  }

  /** Tells the menus which items have a counterexample. */
  private showFailing(): void {
    const ids: string[] = [];
    for (const p of this.model.proofs) {
      const item = this.items.get(p.id);
      if (item === undefined || !p.findings.some((f) => f.verdict === "failed" && !f.accepted)) continue;
      ids.push(fullId(item));
      item.children.forEach((child) => ids.push(fullId(child)));
    }
    const findings = [...this.items.values()].flatMap((item) => [...item.children].map(([, child]) => fullId(child)));
    void vscode.commands.executeCommand("setContext", "unitproof.hasProofs", this.items.size > 0);
    void vscode.commands.executeCommand("setContext", "unitproof.failing", ids);
    void vscode.commands.executeCommand("setContext", "unitproof.findings", findings);
  }

  // ---- results as they come --------------------------------------------------------------------------

  /** Passes on what changed about a proof to whichever run it belongs to. */
  private follow(p: ProofItem): void {
    const item = this.items.get(p.id);
    if (item === undefined) return;
    const owners = [...this.requested].filter((r) => r.proofs.has(p.id));
    if (p.phase !== "idle") {
      for (const r of owners.length > 0 ? owners : [this.backgroundRun()]) {
        r.proofs.add(p.id);
        r.open.add(p.id);
        this.wait(r, p, item);
      }
      return;
    }
    const last = this.reported.get(p.id);
    const key = resultKey(p);
    const news = key !== undefined && (last === undefined || last.key !== key || (last.stale && !p.stale));
    const open = this.allRuns().filter((r) => r.open.has(p.id));
    // A run that waits gets its answer even when it is the old one; one that does not wait, only news.
    if (isSettled(p)) {
      for (const r of open) this.report(r, p, item);
      if (open.length === 0 && news) this.report(owners[0] ?? this.backgroundRun(), p, item);
    } else {
      for (const r of open) {
        r.run.skipped(item);
        r.open.delete(p.id);
      }
    }
    // What was reported just now is invalidated there.
    if (p.stale && p.verdict !== undefined && last?.stale === false) this.controller.invalidateTestResults(item);
    const now = this.reported.get(p.id);
    if (now !== undefined) now.stale = p.stale;
  }

  /** Shows in a run that a proof is not done. One that another run has started already does not say so again. */
  private wait(r: Run, p: ProofItem | undefined, item: vscode.TestItem): void {
    if (p?.phase === "running") r.run.started(item);
    else r.run.enqueued(item);
  }

  private report(to: Run, p: ProofItem, item: vscode.TestItem): void {
    to.open.delete(p.id);
    const key = resultKey(p) ?? "";
    // VS Code collects the messages of a run: another result of the same proof belongs into another run.
    const r = to === this.background && (to.said.get(p.id) ?? key) !== key ? this.nextBackground(to) : to;
    const again = r.said.get(p.id) === key;
    r.said.set(p.id, key);
    const children = failures(p);
    switch (p.verdict) {
      case undefined:
        r.run.skipped(item);
        return;
      case "proved":
        r.run.passed(item, p.ms);
        break;
      case "error":
        r.run.errored(
          item,
          (again ? [] : p.errors).map((e) => {
            const m = new vscode.TestMessage(e.message);
            m.location = asLocation(e);
            return m;
          }),
          p.ms,
        );
        break;
      case "failed":
      case "vacuous":
        for (const f of children) {
          const child = item.children.get(`${p.id}#${f.id}`);
          if (child === undefined) continue;
          const message = new vscode.TestMessage(findingMessage(f));
          // VS Code writes a message with a place beside the line, in red: right for what fails. A vacuous
          // assertion is amber, in gutter and text; “Show in the Source” leads there.
          if (f.verdict === "failed") message.location = asLocation(f);
          const messages = [message];
          // Apart from the sentence: of a message that has both, VS Code writes “actual != expected” beside
          // the line, which says nothing of a condition and its operands.
          if (f.expected !== undefined && f.actual !== undefined) {
            messages.push(vscode.TestMessage.diff("the condition and its operands", f.expected, f.actual));
          }
          r.run.failed(child, again ? [] : messages);
        }
        r.run.failed(
          item,
          children.length > 0 || again ? [] : new vscode.TestMessage(`${p.verdict}: ${p.reason ?? p.title}`),
          p.ms,
        );
        break;
      case "unknown":
      case "bounded":
        // Not a success and not a failure: skipped, with the reason as its output.
        if (!again) r.run.appendOutput(`${p.name}: ${skipReason(p)}\r\n`, undefined, item);
        r.run.skipped(item);
        break;
    }
    this.reported.set(p.id, { key, stale: p.stale });
    // An old result that ends a run (one that was cancelled, say) must not look like a new one.
    if (p.stale) this.controller.invalidateTestResults(item);
  }

  /** Answers a proof that a run still waits for with what is known of it: skipped when that is nothing. */
  private conclude(r: Run, id: string): void {
    const item = this.items.get(id);
    const p = this.model.proof(id);
    if (item !== undefined && p !== undefined && p.verdict !== undefined) this.report(r, p, item);
    else if (item !== undefined) r.run.skipped(item);
    r.open.delete(id);
  }

  private backgroundRun(): Run {
    if (this.background === undefined) {
      const request = new vscode.TestRunRequest(undefined, undefined, this.runProfile, true);
      const run = this.controller.createTestRun(request, "unitproof", false);
      this.background = { run, proofs: new Set(), open: new Set(), said: new Map() };
      // VS Code writes the messages of the newest run beside the lines, and no others: what fails is
      // part of every run, or its message would be gone after the next save of something else.
      for (const p of this.model.proofs) {
        const item = this.items.get(p.id);
        if (item !== undefined && isSettled(p) && p.findings.some((f) => f.verdict === "failed"))
          this.report(this.background, p, item);
      }
    }
    return this.background;
  }

  /** Another background run in the place of this one, for what this one still waits for. */
  private nextBackground(last: Run): Run {
    this.background = undefined;
    last.run.end();
    const next = this.backgroundRun();
    for (const id of last.open) {
      const item = this.items.get(id);
      if (item === undefined) continue;
      next.proofs.add(id);
      next.open.add(id);
      this.wait(next, this.model.proof(id), item);
    }
    return next;
  }

  private endIfDone(): void {
    if (this.background === undefined || this.background.open.size > 0) return;
    this.background.run.end();
    this.background = undefined;
  }

  private allRuns(): Run[] {
    return this.background === undefined ? [...this.requested] : [...this.requested, this.background];
  }

  // ---- runs that the user starts ----------------------------------------------------------------------

  private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken, coverage: boolean): Promise<void> {
    if (request.continuous === true) {
      this.runContinuously(request, token);
      return;
    }
    const ids = this.proofsOf(request);
    const run = this.controller.createTestRun(request);
    const r: Run = { run, proofs: new Set(ids), open: new Set(ids), said: new Map() };
    this.requested.add(r);
    for (const id of ids) {
      const item = this.items.get(id);
      const p = this.model.proof(id);
      // What holds already is not verified again, so it need not wait for the others. Should the server
      // see that differently, the proof is opened again as it starts.
      if (item !== undefined && p !== undefined && !coverage && isSettled(p) && !p.stale) this.report(r, p, item);
      else if (item !== undefined) this.wait(r, p, item);
    }
    const cancelled = run.token.onCancellationRequested(() => void this.cancel(ids));
    try {
      const params: VerifyParams = { proofs: ids };
      if (coverage) params.coverage = params.explain = true; // explained proofs have the ways of branches
      const answer = await this.session.execute<ProofsResult | null>(Command.verify, params, run.token);
      for (const p of answer?.proofs ?? []) {
        const item = this.items.get(p.id);
        if (item !== undefined && r.open.has(p.id) && isSettled(p)) this.report(r, p, item);
      }
      if (coverage && !run.token.isCancellationRequested) {
        for (const file of await loadCoverage(this.session, ids)) run.addCoverage(file);
      }
    } catch (e) {
      if (!run.token.isCancellationRequested) {
        this.log.error(`verifying: ${String(e)}`);
        for (const id of r.open) {
          const item = this.items.get(id);
          if (item !== undefined) run.errored(item, new vscode.TestMessage(e instanceof Error ? e.message : String(e)));
        }
        r.open.clear();
      }
    } finally {
      cancelled.dispose();
      // After a cancel, what was verified before is as true as it was.
      for (const id of [...r.open]) this.conclude(r, id);
      this.requested.delete(r);
      run.end();
    }
  }

  /** The results of saves, for the proofs asked for, until the user turns it off. Where saving verifies
   * nothing (check.on = manual), it verifies what has become stale. */
  private runContinuously(request: vscode.TestRunRequest, token: vscode.CancellationToken): void {
    const wanted = new Set(this.proofsOf(request));
    const all = request.include === undefined;
    const saved = vscode.workspace.onDidSaveTextDocument((document) => {
      const on = vscode.workspace.getConfiguration("unitproof", document).get<string>("check.on", "save");
      if (on !== "manual") return;
      // Which of them are stale the server knows best: it has the text that was saved, and what is fresh
      // it does not verify again.
      const ids = [...this.model.proofs].map((p) => p.id).filter((id) => all || wanted.has(id));
      if (ids.length > 0) {
        this.session.execute(Command.verify, { proofs: ids }).catch((e) => this.log.error(`verifying: ${String(e)}`));
      }
    });
    token.onCancellationRequested(() => saved.dispose());
    this.disposables.push(saved);
  }

  private async cancel(ids: string[]): Promise<void> {
    try {
      await this.session.execute(Command.cancel, { proofs: ids });
    } catch (e) {
      this.log.warn(`cancelling: ${String(e)}`);
    }
  }

  /**
   * Changes the code under each proof in small ways. A proof keeps its result, whatever survives: that is among the
   * problems, and the score is the output of the run.
   */
  private async runStrength(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.controller.createTestRun(request, "strength", false);
    const stop = token.onCancellationRequested(() => run.end());
    try {
      for (const id of this.proofsOf(request)) {
        if (run.token.isCancellationRequested) break;
        const item = this.items.get(id);
        if (item === undefined) continue;
        run.started(item);
        const answer = await this.session.execute<StrengthResult | null>(Command.strength, { proofs: [id] }, run.token);
        for (const s of answer?.proofs ?? []) {
          run.appendOutput(`${this.model.proof(s.proof)?.name ?? item.label}: ${s.summary}\r\n`, undefined, item);
          if (s.verdict === "proved") run.passed(item);
          else run.skipped(item);
        }
      }
    } catch (e) {
      if (!run.token.isCancellationRequested) {
        this.log.error(`strength: ${String(e)}`);
        run.appendOutput(`${e instanceof Error ? e.message : String(e)}\r\n`);
      }
    } finally {
      stop.dispose();
      run.end();
    }
  }

  private async debugRun(request: vscode.TestRunRequest): Promise<void> {
    const run = this.controller.createTestRun(request, "debug", false);
    try {
      const failing = (request.include ?? []).map((i) => this.meaning.get(i)).filter((m) => m !== undefined);
      const first = failing[0] ?? this.proofsOf(request).map((proof) => ({ proof }))[0];
      if (first !== undefined) await this.debug(first);
    } finally {
      run.end();
    }
  }

  /** The proofs that a request means: of files, of proofs, of their failures; less those excluded. */
  private proofsOf(request: vscode.TestRunRequest): string[] {
    const ids = new Set<string>();
    const excluded = new Set((request.exclude ?? []).map((i) => i.id));
    const visit = (item: vscode.TestItem): void => {
      if (excluded.has(item.id)) return;
      const meaning = this.meaning.get(item);
      if (meaning !== undefined) ids.add(meaning.proof);
      else item.children.forEach(visit);
    };
    if (request.include === undefined) this.controller.items.forEach(visit);
    else request.include.forEach(visit);
    return [...ids];
  }

  dispose(): void {
    clearTimeout(this.regrouping);
    this.background?.run.end();
    for (const d of this.disposables) d.dispose();
  }
}

/** How long proofs must not change before they are grouped by function again, in ms. */
const REGROUP_DELAY = 300;

function byFunction(): boolean {
  return vscode.workspace.getConfiguration("unitproof").get<string>("groupProofs", "file") === "function";
}

/** The id by which VS Code's menus know an item: those of its ancestors before its own. */
function fullId(item: vscode.TestItem): string {
  const path: string[] = [];
  for (let i: vscode.TestItem | undefined = item; i !== undefined; i = i.parent) path.unshift(i.id);
  return ["unitproof", ...path].join("\0");
}
