/**
 * Coverage: which lines of the code under proof some execution reaches, and which ways of branches one takes, as the
 * server has it.
 */
import * as vscode from "vscode";
import { Command, type CoverageLine, type CoverageResult } from "./protocol";
import type { Session } from "./session";

const details = new WeakMap<vscode.FileCoverage, vscode.StatementCoverage[]>();

/** Asks for the coverage of these proofs, after a verification with coverage. */
export async function loadCoverage(session: Session, proofs: string[]): Promise<vscode.FileCoverage[]> {
  const result = await session.execute<CoverageResult>(Command.coverage, { proofs });
  // VS Code shows a run's coverage from its first file on, and does not look again for an open editor whose
  // file comes later: what the user looks at comes first.
  const active = vscode.window.activeTextEditor?.document.uri.toString();
  const rank = (file: { uri: string }) => (vscode.Uri.parse(file.uri).toString() === active ? 0 : 1);
  const files = [...result.files].sort((a, b) => rank(a) - rank(b));
  return files.map((file) => {
    const lines = file.lines.map(
      (l) =>
        new vscode.StatementCoverage(
          l.hit,
          new vscode.Range(l.line, 0, l.line, Number.MAX_SAFE_INTEGER),
          branchesOf(l),
        ),
    );
    const coverage = vscode.FileCoverage.fromDetails(vscode.Uri.parse(file.uri), lines);
    details.set(coverage, lines);
    return coverage;
  });
}

/** The ways of the branches of a line. A way is left out if it is not known whether any execution takes it. */
function branchesOf(line: CoverageLine): vscode.BranchCoverage[] {
  return (line.branches ?? []).flatMap((b) => {
    const known = b.ways.filter((w) => w.taken !== "unknown");
    return known.map((w) => {
      const name = b.text === undefined ? w.way : `${b.text}: ${w.way}`;
      const label = w.taken === "taken" ? name : `${name}, never taken`;
      return new vscode.BranchCoverage(w.taken === "taken", new vscode.Position(b.line, b.character), label);
    });
  });
}

/** The lines of a file that loadCoverage returned. */
export function coverageDetails(file: vscode.FileCoverage): vscode.StatementCoverage[] {
  return details.get(file) ?? [];
}
