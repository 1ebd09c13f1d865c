/**
 * From the flat list of a trace to a tree: the steps inside a call stand under that call.
 *
 * This file knows nothing of VS Code.
 */
import type { TraceStep } from "./protocol";

export interface StepNode {
  step: TraceStep;
  children: StepNode[];
}

/**
 * Nests by depth. A slice may leave out the call itself: its steps then stand where the call would,
 * so every step has a place whatever depths come after each other.
 */
export function nest(steps: readonly TraceStep[]): StepNode[] {
  const roots: StepNode[] = [];
  /** The calls that are open, outermost first. */
  const open: StepNode[] = [];
  for (const step of steps) {
    while (open.length > 0 && step.depth <= (open[open.length - 1]?.step.depth ?? 0)) open.pop();
    const node: StepNode = { step, children: [] };
    (open[open.length - 1]?.children ?? roots).push(node);
    if (step.event === "call") open.push(node);
  }
  return roots;
}
