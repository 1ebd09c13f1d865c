/**
 * Counting proofs by their verdicts. This file knows nothing of VS Code.
 */
import type { ProofItem, ProofVerdict } from "./protocol";

/** How many proofs there are of each sort. */
export interface Tally {
  proved: number;
  /** Verified, and not proved. */
  not: number;
  /** Among these: failing or in error. */
  bad: number;
  /** Among these: vacuous. They need a look as failures do, and are told apart from them everywhere. */
  vacuous: number;
  stale: number;
  /** Queued or running. */
  busy: number;
  unverified: number;
  all: number;
}

export function tally(proofs: Iterable<ProofItem>): Tally {
  const t: Tally = { proved: 0, not: 0, bad: 0, vacuous: 0, stale: 0, busy: 0, unverified: 0, all: 0 };
  for (const p of proofs) {
    t.all++;
    if (p.phase !== "idle") t.busy++;
    if (p.verdict === undefined) {
      t.unverified++;
      continue;
    }
    if (p.stale) t.stale++;
    if (p.verdict === "proved") t.proved++;
    else {
      t.not++;
      if (p.verdict === "vacuous") t.vacuous++;
      else if (isBad(p.verdict)) t.bad++;
    }
  }
  return t;
}

/** Verdicts that a test view calls a failure; unknown and bounded are no failure and no success. */
export function isBad(verdict: ProofVerdict): boolean {
  return verdict === "failed" || verdict === "vacuous" || verdict === "error";
}

const order: readonly ProofVerdict[] = ["error", "failed", "vacuous", "unknown", "bounded"];

/** The proofs that were verified and are not proved, those that need a look before the others. */
export function worstFirst(proofs: Iterable<ProofItem>): ProofItem[] {
  const rank = (p: ProofItem) => order.indexOf(p.verdict ?? "proved");
  return [...proofs].filter((p) => rank(p) >= 0).sort((a, b) => rank(a) - rank(b));
}
