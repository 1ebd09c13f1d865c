/**
 * What a verdict means in a test view: vacuous is a failure, unknown and bounded are skipped with
 * their reason, and nothing but `proved` passes.
 *
 * This file knows nothing of VS Code.
 */
import type { FindingItem, ProofItem, Verdict } from "./protocol";

/** The findings that make a proof fail, without those that somebody accepted. */
export function failures(p: ProofItem): FindingItem[] {
  return p.findings.filter((f) => (f.verdict === "failed" || f.verdict === "vacuous") && !f.accepted);
}

export function findingMessage(f: FindingItem): string {
  return f.verdict === "vacuous" && !f.message.startsWith("vacuous") ? `vacuous: ${f.message}` : f.message;
}

/** Why a proof is neither passed nor failed. */
export function skipReason(p: ProofItem): string {
  const own = p.reason ?? p.findings.find((f) => f.verdict === p.verdict)?.message;
  return own === undefined ? `${p.verdict ?? "not verified"}` : `${p.verdict}: ${own}`;
}

/** A verdict is known and nothing is under way that will change it. */
export function isSettled(p: ProofItem): boolean {
  return p.phase === "idle" && p.verdict !== undefined;
}

/** Equal for two states of a proof that look the same in a test view; undefined: no result. */
export function resultKey(p: ProofItem): string | undefined {
  if (p.verdict === undefined) return undefined;
  const found = p.findings.map((f) => [f.id, f.verdict, f.message, f.accepted]);
  return JSON.stringify([p.verdict, p.reason, found, p.errors.map((e) => e.message)]);
}

/** What stands behind a proof's name; its duration is shown by the test view itself. */
export function description(p: ProofItem): string {
  return p.verdict === "vacuous" ? `⚠ ${brief(p)}` : brief(p);
}

/**
 * The name of a proof or a finding with the sign of its verdict where that is amber. VS Code has no such state of a
 * test: a vacuous proof fails the run, and its name says that it is no failing one.
 */
export function label(name: string, verdict: Verdict | undefined): string {
  return verdict === "vacuous" ? `$(warning) ${name}` : name;
}

function brief(p: ProofItem): string {
  if (p.verdict === undefined) return p.reason !== undefined && p.reason !== "" ? p.reason : "not verified";
  const short = p.title.replace(/ in ([0-9]+ min )?[0-9.]+ ?(ms|s|min|h)\b/, "");
  return short === p.verdict ? "" : short.replace(/^proved(, | (?=in CI))/, "");
}

/** Where a finding is, as short as the proof it stands under allows, and what became of its native run. */
export function placeName(f: FindingItem, p: ProofItem): string {
  const line = f.range.start.line + 1;
  const place = f.uri === p.uri ? `line ${line}` : `${decodeURIComponent(f.uri.split("/").pop() ?? "")}:${line}`;
  const words: Record<string, string> = { reproduced: ", reproduced", "not-reproduced": ", not reproduced" };
  return place + (words[f.replay ?? ""] ?? "");
}
