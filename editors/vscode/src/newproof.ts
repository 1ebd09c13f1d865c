/** A first proof to start from: a new C file with a proof of a small function in it. */
import * as vscode from "vscode";

const first = `#include <unitproof.h>

/* The code under proof. Usually it is in a file of its own; name it in unitproof.toml under "sources". */
static int clamp(int x, int lo, int hi) {
  if (x < lo)
    return lo;
  return x < hi ? x : hi;
}

/* The proof: holds for every x, lo and hi at once, or you get the values for which it does not. */
void clamp_proof(void) {
  int x = nd_int(), lo = nd_int(), hi = nd_int(); /* any three values at all, */
  assume(lo <= hi);                               /* but only executions where this holds */

  int r = clamp(x, lo, hi);

  sassert(lo <= r && r <= hi);
}
`;

export async function newProof(): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (folder === undefined) {
    await vscode.window.showInformationMessage("Open a folder first: a proof is verified from its file on disk.");
    return;
  }
  const target = await vscode.window.showSaveDialog({
    title: "New unit proof",
    defaultUri: vscode.Uri.joinPath(folder.uri, "clamp_proof.c"),
    filters: { C: ["c"] },
  });
  if (target === undefined) return;
  await vscode.workspace.fs.writeFile(target, Buffer.from(first, "utf8"));
  await vscode.window.showTextDocument(target);
}
