/**
 * The text of a `.clangd`. This file knows nothing of VS Code.
 */

/**
 * The text of a `.clangd` with this include folder added; undefined when it is there already.
 * A `.clangd` is a sequence of YAML documents, all of which apply: a further one at the end adds the
 * folder without touching a line of the others.
 */
export function withIncludeFolder(before: string | undefined, include: string): string | undefined {
  const flag = `-I${include}`;
  if (before?.includes(flag)) return undefined;
  const fragment = `CompileFlags:\n  Add: [${JSON.stringify(flag)}] # where unitproof.h is\n`;
  if (before === undefined || before.trim() === "") return fragment;
  return `${before.endsWith("\n") ? before : before + "\n"}---\n${fragment}`;
}
