/**
 * The words of the status bar. This file knows nothing of VS Code.
 */
import type { Tally } from "./tally";

/** The text in the status bar, with VS Code's icons. */
export function statusText(t: Tally, wave: number, trusted: boolean): string {
  if (!trusted) return "$(shield) unitproof: not trusted";
  if (t.all === 0) return "$(circle-outline) unitproof: no proofs";
  const counts = [`$(pass) ${t.proved}`];
  if (t.bad > 0) counts.push(`$(error) ${t.bad}`);
  if (t.vacuous > 0) counts.push(`$(warning) ${t.vacuous}`);
  const undecided = t.not - t.bad - t.vacuous;
  if (undecided > 0) counts.push(`$(question) ${undecided}`);
  if (t.busy > 0) return `$(sync~spin) unitproof ${wave - t.busy}/${wave}  ${counts.join("  ")}`;
  if (t.unverified === t.all) return `$(circle-outline) unitproof: ${plural(t.all, "proof")} not verified`;
  return `unitproof  ${counts.join("  ")}`;
}

/** The same in words, for the tooltip and for screen readers. */
export function spoken(t: Tally): string {
  if (t.all === 0) return "no proofs in this folder";
  const parts = [`${t.proved} of ${plural(t.all, "proof")} proved`];
  if (t.bad > 0) parts.push(`${t.bad} failed`);
  if (t.vacuous > 0) parts.push(`${t.vacuous} vacuous`);
  const undecided = t.not - t.bad - t.vacuous;
  if (undecided > 0) parts.push(`${undecided} undecided`);
  if (t.unverified > 0) parts.push(`${t.unverified} not verified`);
  if (t.stale > 0) parts.push(`${t.stale} from before the last edit`);
  if (t.busy > 0) parts.push(`${t.busy} being verified`);
  return parts.join(", ");
}

function plural(n: number, word: string): string {
  return n === 1 ? `1 ${word}` : `${n} ${word}s`;
}
