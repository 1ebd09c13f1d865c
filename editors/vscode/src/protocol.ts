/**
 * What the server says beyond LSP 3.17 (docs/protocol.md): names, and the shapes of what is sent.
 * Positions are LSP positions: lines and UTF-16 columns from 0.
 *
 * This file knows nothing of VS Code.
 */
import type { Location, Range } from "vscode-languageclient";

/** The version of this protocol that the extension speaks; the server names its own in the handshake. */
export const PROTOCOL = 1;

/** The prefix of the commands the server executes itself. VS Code registers these names for it. */
const SERVER = "unitproof.server.";

export const Command = {
  verify: SERVER + "verify",
  cancel: SERVER + "cancel",
  replay: SERVER + "replay",
  strength: SERVER + "strength",
  exclude: SERVER + "exclude",
  prove: SERVER + "prove",
  compare: SERVER + "compare",
  trace: SERVER + "trace",
  hideTrace: SERVER + "hideTrace",
  vary: SERVER + "vary",
  another: SERVER + "another",
  commandLine: SERVER + "commandLine",
  reproducer: SERVER + "reproducer",
  nativeDebug: SERVER + "nativeDebug",
  debug: SERVER + "debug",
  coverage: SERVER + "coverage",
  doctor: SERVER + "doctor",
  clearCache: SERVER + "clearCache",
} as const;

/**
 * The commands that links in hovers may execute: those whose arguments name nothing but a counterexample. A command
 * whose argument is a path, or that forgets results, is not for text to start.
 */
export const LINKED: readonly string[] = [Command.trace, Command.replay, Command.debug];

export const Request = {
  proofs: "unitproof/proofs",
  subjects: "unitproof/subjects",
  tool: "unitproof/tool",
} as const;

export const Notification = {
  trust: "unitproof/trust",
  visible: "unitproof/visible",
  proofsChanged: "unitproof/proofsChanged",
  marks: "unitproof/marks",
} as const;

/** The verdict of a whole proof, worst first. */
export type ProofVerdict = "error" | "failed" | "unknown" | "bounded" | "vacuous" | "proved";

/** The verdict of one finding. */
export type Verdict = ProofVerdict | "unreached";

export type Phase = "idle" | "queued" | "running";

export interface Place {
  message: string;
  uri: string;
  range: Range;
}

export interface FindingItem {
  id: string;
  kind: string;
  verdict: Verdict;
  message: string;
  uri: string;
  range: Range;
  stale: boolean;
  accepted: boolean;
  instances: number;
  /** What became of its native replay: reproduced, not-reproduced, not-run. */
  replay?: string;
  /** The operands of a comparison that failed. */
  expected?: string;
  actual?: string;
}

export interface ProofItem {
  id: string;
  name: string;
  uri: string;
  /** The name of the entry. */
  range: Range;
  entry: string;
  phase: Phase;
  /** Absent: never verified. */
  verdict?: ProofVerdict;
  /** What the verdict rests on has changed since. */
  stale: boolean;
  title: string;
  reason?: string;
  ms?: number;
  cached: boolean;
  /** The result comes from a file of the setting unitproof.results. */
  imported: boolean;
  assumptions: Place[];
  findings: FindingItem[];
  errors: Place[];
}

/** The worst verdict of what stands on one line. */
export interface Mark {
  line: number;
  verdict: Verdict;
  stale: boolean;
  title: string;
}

export interface MarksParams {
  uri: string;
  marks: Mark[];
}

export interface ProofsChangedParams {
  changed: ProofItem[];
  removed: string[];
}

export interface ProofsResult {
  proofs: ProofItem[];
}

/** The function that a proof is about. */
export interface Subject {
  proof: string;
  name: string;
  uri: string;
  range: Range;
}

export interface SubjectsResult {
  subjects: Subject[];
}

export interface VerifyParams {
  proofs?: string[];
  uri?: string;
  force?: boolean;
  coverage?: boolean;
  explain?: boolean;
}

/** One counterexample: of this finding, or of the proof's first failing one. */
export interface FindingRef {
  proof: string;
  finding?: string;
}

export interface ReplayResult {
  outcome: "reproduced" | "not-reproduced" | "not-run";
  message: string;
  /** What the sanitizer wrote. */
  report?: string;
  location?: Location;
}

export interface TraceStep {
  depth: number;
  function: string;
  uri: string;
  range: Range;
  event: "assign" | "branch" | "call" | "return" | "alloc" | "free" | "assume" | "violation";
  text: string;
  lvalue?: string;
  value?: string;
  old?: string;
  /** A folded loop: so many iterations like the one before are left out; this step begins the last one. */
  skipped?: { iterations: number; steps: number };
}

export interface TraceInput {
  /** What a change of the input names it by. */
  index: number;
  kind: string;
  function?: string;
  variable?: string;
  type?: string;
  value: string;
  uri?: string;
  range?: Range;
}

export interface TraceResult {
  title: string;
  finding: string;
  steps: TraceStep[];
  inputs: TraceInput[];
  /** The memory at the violation, drawn: a fragment of HTML whose colours are variables. */
  memory?: string;
  /** How an execution with changed inputs ends; absent for a counterexample. */
  end?: "fails" | "other" | "holds" | "excluded" | "unknown";
  /** A sentence about the inputs that fail, once it was asked for (Command.exclude). */
  failingSet?: string;
}

export interface NativeDebugResult {
  program: string;
  args?: string[];
  /** What is added to the environment: “NAME=value”. */
  env?: string[];
  cwd?: string;
  /** A function that is called at the violation and never inlined. */
  breakpointFunction?: string;
}

export interface DebugResult {
  type: string;
  request: string;
  name: string;
  program: string;
  entry: string;
  finding?: string;
  cwd?: string;
  args?: string[];
}

export interface CoverageResult {
  files: { uri: string; lines: CoverageLine[] }[];
}

export interface CoverageLine {
  line: number;
  hit: boolean;
  /** What is known of the ways of its branches. */
  branches?: {
    line: number;
    character: number;
    /** The condition. */
    text?: string;
    ways: { way: string; taken: "taken" | "never" | "unknown" }[];
  }[];
}

/** What a proof would notice of small changes of the code under it. */
export interface StrengthResult {
  proofs: {
    proof: string;
    /** Undefined or not “proved”: the changes were not tried, and the summary says why. */
    verdict?: ProofVerdict | "";
    summary: string;
    score: number;
    killed: number;
    survived: number;
  }[];
}

/** Two versions of a function, compared. */
export interface CompareResult {
  answer: "equivalent" | "bounded" | "different" | "undecided";
  message: string;
  /** The answer with the traces of both versions. */
  text: string;
}

/** The conditions over inputs that exclude a failure, the weakest first, and the edits that assume them. */
export interface ExcludeResult {
  summary: string;
  /** The inputs that fail, in a sentence. */
  set?: string;
  edits: { title: string; detail: string; uri: string; edit: { range: Range; newText: string } }[];
}

export interface DoctorPart {
  name: string;
  ok: boolean;
  required: boolean;
  detail: string;
  advice?: string;
}

export interface DoctorResult {
  parts: DoctorPart[];
}

export interface ReproducerResult {
  path: string;
  build: string;
}

/** Whether a proof or finding with this verdict has a counterexample to run. */
export function hasCounterexample(verdict: Verdict | undefined): boolean {
  return verdict === "failed";
}
