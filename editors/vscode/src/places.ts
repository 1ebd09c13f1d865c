/** From places as the server writes them to VS Code's own types, and the ways to go there. */
import * as vscode from "vscode";
import type { Range } from "vscode-languageclient";

export function asRange(r: Range): vscode.Range {
  return new vscode.Range(r.start.line, r.start.character, r.end.line, r.end.character);
}

export function asLocation(place: { uri: string; range: Range }): vscode.Location {
  return new vscode.Location(vscode.Uri.parse(place.uri), asRange(place.range));
}

/** Shows a place, in the column that shows its file already where there is one. */
export async function show(place: { uri: string; range: Range }, preserveFocus: boolean): Promise<vscode.TextEditor> {
  const uri = vscode.Uri.parse(place.uri);
  const open = vscode.window.visibleTextEditors.find((e) => e.document.uri.toString() === uri.toString());
  const range = asRange(place.range);
  return vscode.window.showTextDocument(uri, {
    selection: new vscode.Range(range.start, range.start),
    preserveFocus,
    viewColumn: open?.viewColumn ?? vscode.ViewColumn.Active,
  });
}
