/** What the steps of the session share. */
import type { VSCode } from "../vscode";

/** A step: its name is a sentence on what is seen. */
export type Step = (name: string, body: () => Promise<void>) => Promise<unknown>;

/** A part of the session; it starts from where the last one ended. */
export type Part = (code: VSCode, step: Step) => Promise<void>;

/** The proof that fails: a push into a full ring makes it invalid, line 16. */
export const push = "proofs/ring_push_harness.c";

/** The line of src/ring.c that is wrong, and as it should be. */
export const wrong = "if (r->len > RING_SLOTS)";
export const right = "if (r->len >= RING_SLOTS)";
