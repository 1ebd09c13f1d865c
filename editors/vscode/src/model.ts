/**
 * What the extension knows of the proofs: a mirror of what the server says, and nothing derived
 * that could disagree with it. Views listen to its events.
 */
import * as vscode from "vscode";
import type { FindingItem, FindingRef, Mark, MarksParams, ProofItem, ProofsChangedParams } from "./protocol";
import { hasCounterexample } from "./protocol";

export interface Change {
  changed: ProofItem[];
  removed: string[];
}

export class Model implements vscode.Disposable {
  private readonly byId = new Map<string, ProofItem>();
  private readonly marksOf = new Map<string, Mark[]>();

  private readonly proofsEmitter = new vscode.EventEmitter<Change>();
  private readonly marksEmitter = new vscode.EventEmitter<string>();

  /** Proofs that are new or changed, and those that are gone. */
  readonly onProofs = this.proofsEmitter.event;
  /** The marks of this document (a URI as VS Code writes it) are others. */
  readonly onMarks = this.marksEmitter.event;

  get proofs(): IterableIterator<ProofItem> {
    return this.byId.values();
  }

  proof(id: string): ProofItem | undefined {
    return this.byId.get(id);
  }

  marks(uri: vscode.Uri): readonly Mark[] {
    return this.marksOf.get(uri.toString()) ?? [];
  }

  /** Everything anew: a server has started. */
  reset(proofs: ProofItem[]): void {
    const now = new Set(proofs.map((p) => p.id));
    this.update({ changed: proofs, removed: [...this.byId.keys()].filter((id) => !now.has(id)) });
  }

  /** The server is gone: what it said is no longer vouched for. */
  clear(): void {
    this.reset([]);
    const uris = [...this.marksOf.keys()];
    this.marksOf.clear();
    for (const uri of uris) this.marksEmitter.fire(uri);
  }

  update(params: ProofsChangedParams): void {
    for (const id of params.removed) this.byId.delete(id);
    for (const p of params.changed) this.byId.set(p.id, p);
    if (params.changed.length > 0 || params.removed.length > 0) this.proofsEmitter.fire(params);
  }

  setMarks(params: MarksParams): void {
    // The server may percent-encode other characters than VS Code does: compare parsed URIs.
    const uri = vscode.Uri.parse(params.uri).toString();
    if (params.marks.length > 0) this.marksOf.set(uri, params.marks);
    else this.marksOf.delete(uri);
    this.marksEmitter.fire(uri);
  }

  /** The proofs whose entry is in this document, in the order of their lines. */
  inFile(uri: vscode.Uri): ProofItem[] {
    const key = uri.toString();
    return [...this.byId.values()]
      .filter((p) => vscode.Uri.parse(p.uri).toString() === key)
      .sort((a, b) => a.range.start.line - b.range.start.line);
  }

  /** Every counterexample there is, those of the document first. */
  counterexamples(first: vscode.Uri | undefined): { proof: ProofItem; finding: FindingItem }[] {
    const all = [];
    for (const proof of this.byId.values()) {
      for (const finding of proof.findings) {
        if (hasCounterexample(finding.verdict) && !finding.accepted) all.push({ proof, finding });
      }
    }
    const here = first?.toString();
    const rank = (c: { proof: ProofItem; finding: FindingItem }) =>
      vscode.Uri.parse(c.finding.uri).toString() === here
        ? 0
        : vscode.Uri.parse(c.proof.uri).toString() === here
          ? 1
          : 2;
    return all.sort((a, b) => rank(a) - rank(b));
  }

  /** What a reference means now, for messages about it. */
  resolve(ref: FindingRef): { proof: ProofItem | undefined; finding: FindingItem | undefined } {
    const proof = this.byId.get(ref.proof);
    const finding =
      ref.finding === undefined
        ? proof?.findings.find((f) => hasCounterexample(f.verdict))
        : proof?.findings.find((f) => f.id === ref.finding);
    return { proof, finding };
  }

  dispose(): void {
    this.proofsEmitter.dispose();
    this.marksEmitter.dispose();
  }
}
