/** Another value for an input of a counterexample: each value that is typed is executed at once. */
import * as vscode from "vscode";
import type { TraceInput } from "./protocol";

/**
 * Asks for a value, and runs each one that is typed, the last one only while one is being run. Escape runs `undefined`:
 * everything is as before.
 */
export async function changeInput(
  input: TraceInput,
  run: (value: string | undefined) => Promise<void>,
): Promise<void> {
  const name = input.variable ?? input.function ?? input.kind;
  const box = vscode.window.createInputBox();
  box.title = `Another value for ${name}`;
  box.prompt = [input.type, "the execution follows while you type; parts that are left out keep their values"]
    .filter((s) => s !== undefined && s !== "")
    .join(": ");
  box.value = input.value;
  box.ignoreFocusOut = true;
  let wanted: string | undefined;
  let busy: Promise<void> | undefined;
  let ran = false;
  const follow = async () => {
    while (wanted !== undefined) {
      const value = wanted;
      wanted = undefined;
      box.busy = true;
      try {
        ran = true;
        await run(value);
        box.validationMessage = undefined;
      } catch (e) {
        box.validationMessage = e instanceof Error ? e.message : String(e);
      }
    }
    box.busy = false;
    busy = undefined;
  };
  await new Promise<void>((resolve) => {
    let accepted = false;
    box.onDidChangeValue((value) => {
      wanted = value;
      busy ??= follow();
    });
    box.onDidAccept(async () => {
      await busy;
      if (box.validationMessage !== undefined) return;
      accepted = true;
      box.hide();
    });
    box.onDidHide(async () => {
      wanted = undefined;
      await busy;
      if (!accepted && ran) await run(undefined).catch(() => undefined);
      box.dispose();
      resolve();
    });
    box.show();
  });
}
