/**
 * The one language client for all folders of the window: finds the server, starts it, shakes hands,
 * keeps the model in step with it, and says what is wrong when it does not come up.
 */
import { execFile } from "node:child_process";
import * as vscode from "vscode";
import {
  CancellationToken,
  CloseAction,
  ExecuteCommandRequest,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  State,
  TransportKind,
} from "vscode-languageclient/node";
import type { Model } from "./model";
import {
  Command,
  type DoctorResult,
  LINKED,
  type MarksParams,
  Notification,
  PROTOCOL,
  type ProofsChangedParams,
  type ProofsResult,
  Request,
  type Subject,
  type SubjectsResult,
} from "./protocol";
import { shellCommand } from "./advice";
import { findServer, type Server, ServerMissing } from "./server";

/** Runs a server command that a lens or a code action named, and shows what came of it. */
export type CommandUI = (command: string, args: unknown[], next: () => Thenable<unknown>) => Thenable<unknown>;

export type Status = "stopped" | "starting" | "running" | "missing" | "failed";

/** How long a server has to stop in before the next one is started without it, in ms. */
const STOP_LIMIT = 4000;

/** The language client, which leaves it to the session to say that a server never came up. */
class Client extends LanguageClient {
  /** Whether a server has answered the handshake. */
  answered = false;
  /** Rejects when the server ends without having answered the handshake. */
  readonly ended: Promise<never>;

  constructor(run: { command: string; args: string[] }, options: LanguageClientOptions) {
    let end: (cause: Error) => void = () => undefined;
    const executable = { ...run, transport: TransportKind.stdio };
    super(
      "unitproof",
      "unitproof",
      { run: executable, debug: executable },
      {
        ...options,
        errorHandler: {
          error: (error, message, count) => usual.error(error, message, count),
          // A server that dies before it answers would only die again; and the client, started anew while
          // its first start is under way, settles neither the one nor the other.
          closed: () => {
            if (this.answered) return usual.closed();
            end(new Error("it ended before it answered"));
            return { action: CloseAction.DoNotRestart, handled: true };
          },
        },
      },
    );
    const usual = this.createDefaultErrorHandler();
    this.ended = new Promise((_, reject) => {
      end = reject;
    });
    this.ended.catch(() => undefined); // nobody may be waiting any more
    this.onDidChangeState((e) => {
      if (e.newState === State.Running) this.answered = true;
    });
  }

  /**
   * Stops the server. A client cannot be stopped while it starts, and says that it runs before it has
   * registered its commands: it would leave them behind, or register them later, and no later client could
   * register its own. So its start is awaited, and made short: a server that has not answered yet is ended.
   */
  async end(): Promise<void> {
    if (this.state !== State.Stopped) {
      const hurry = setInterval(() => {
        if (!this.answered) this["_serverProcess"]?.kill("SIGKILL");
      }, 50);
      await Promise.race([this.start(), this.ended]).catch(() => undefined);
      clearInterval(hurry);
    }
    if (this.answered) await this.dispose(2000);
  }

  override error(message: string, data?: unknown, show: boolean | "force" = true): void {
    super.error(message, data, this.answered && show);
  }
}

export class Session implements vscode.Disposable {
  private client: Client | undefined;
  private server: Server | undefined;
  private readonly disposables: vscode.Disposable[] = [];
  private readonly statusEmitter = new vscode.EventEmitter<Status>();
  /** Counts starts, so that what an earlier start still has under way is dropped. */
  private generation = 0;
  /** Settles when the clients that were stopped are. */
  private retired: Promise<unknown> = Promise.resolve();
  private told = new Set<string>();
  /** The commands of lenses by what they execute; see lasting. */
  private readonly lensCommands = new Map<string, string>();

  readonly onStatus = this.statusEmitter.event;
  status: Status = "stopped";

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly model: Model,
    private readonly log: vscode.LogOutputChannel,
    private readonly output: vscode.OutputChannel,
    private readonly commandUI: CommandUI,
  ) {
    this.disposables.push(
      this.statusEmitter,
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.sendTrust()),
      vscode.workspace.onDidChangeConfiguration((e) => {
        if (e.affectsConfiguration("unitproof.path")) void this.restart();
      }),
    );
  }

  /** The program that runs, for the debug adapter. */
  get program(): string | undefined {
    return this.server?.command;
  }

  async start(): Promise<void> {
    const generation = ++this.generation;
    this.setStatus("starting");
    try {
      this.server = findServer({
        setting: vscode.workspace.getConfiguration("unitproof").get<string>("path", ""),
        folder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath,
        extension: this.context.extensionPath,
        env: process.env,
        platform: process.platform,
      });
    } catch (e) {
      if (!(e instanceof ServerMissing)) throw e;
      this.setStatus("missing");
      this.log.warn(e.message);
      void this.tellMissing(e);
      return;
    }
    this.log.info(`server: ${this.server.command} (${this.server.origin})`);
    const client = this.newClient(this.server);
    this.client = client;
    client.onNotification(Notification.proofsChanged, (p: ProofsChangedParams) => this.model.update(p));
    client.onNotification(Notification.marks, (p: MarksParams) => this.model.setMarks(p));
    client.onDidChangeState((e) => {
      if (this.client !== client) return;
      // A crashed server is started again by the client itself: shake hands with the new one too.
      if (e.newState === State.Running) void this.greet(client, generation);
      else if (e.newState === State.Stopped) {
        this.model.clear();
        if (this.status === "running") this.setStatus("stopped");
      }
    });
    try {
      await Promise.race([client.start(), client.ended]);
    } catch (e) {
      if (generation !== this.generation) return;
      this.setStatus("failed");
      this.log.error(`the server did not start: ${String(e)}`);
      void this.tellFailed(this.server, e);
    }
  }

  async stop(): Promise<void> {
    this.generation++;
    const client = this.client;
    this.client = undefined;
    this.model.clear();
    this.setStatus("stopped");
    if (client !== undefined) void this.retire(client);
    await this.retired;
  }

  /** Stops a client that is no longer ours. The next one starts when all that came before are gone. */
  private retire(client: Client): Promise<unknown> {
    this.retired = Promise.all([this.retired, this.end(client)]);
    return this.retired;
  }

  private async end(client: Client): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not stopped after ${STOP_LIMIT} ms`)), STOP_LIMIT);
    });
    try {
      await Promise.race([client.end(), limit]);
    } catch (e) {
      this.log.warn(`stopping the server: ${String(e)}`);
    } finally {
      clearTimeout(timer);
    }
  }

  async restart(): Promise<void> {
    this.told.clear();
    const stopped = this.stop();
    const generation = this.generation;
    await stopped;
    // Another restart may have come meanwhile; of two servers one would be nobody's.
    if (generation === this.generation) await this.start();
  }

  /** Executes a command of the server. Rejects with a sentence when it is not there. */
  async execute<T>(command: string, arg?: unknown, token?: vscode.CancellationToken): Promise<T> {
    const client = this.client;
    if (client === undefined || !client.isRunning()) {
      throw new Error("The unitproof server is not running. “unitproof: Restart the Server” starts it.");
    }
    const params = { command, arguments: arg === undefined ? [] : [arg] };
    return (await client.sendRequest(ExecuteCommandRequest.type, params, token as CancellationToken)) as T;
  }

  /** The functions that proofs are about; none while the server does not run. */
  async subjects(): Promise<Subject[]> {
    const client = this.client;
    if (client === undefined || !client.isRunning()) return [];
    return (await client.sendRequest<SubjectsResult>(Request.subjects, {})).subjects;
  }

  /** The answer of a tool for assistants, as `unitproof mcp` gives it. Rejects with the tool's error. */
  async tool(tool: string, args: object, token?: vscode.CancellationToken): Promise<string> {
    const client = this.client;
    if (client === undefined || !client.isRunning()) {
      throw new Error("The unitproof server is not running. “unitproof: Restart the Server” starts it.");
    }
    const params = { tool, arguments: args };
    return (await client.sendRequest<{ text: string }>(Request.tool, params, token ?? CancellationToken.None)).text;
  }

  /** Asks for all proofs anew. */
  async refresh(): Promise<void> {
    const client = this.client;
    if (client === undefined || !client.isRunning()) return;
    const result = await client.sendRequest<ProofsResult>(Request.proofs, {});
    if (this.client === client) this.model.reset(result.proofs);
  }

  /** Tells the server what the user looks at; it verifies that first. */
  sendVisible(params: { uris: string[]; active?: string; line?: number }): void {
    if (this.status === "running") void this.client?.sendNotification(Notification.visible, params);
  }

  private async sendTrust(): Promise<void> {
    if (this.status === "running") {
      await this.client?.sendNotification(Notification.trust, { trusted: vscode.workspace.isTrusted });
    }
  }

  /**
   * A command without arguments that executes one with arguments. VS Code forgets the arguments of a lens when it takes
   * new lenses, also while the old one is being clicked; what the extension has registered stays.
   */
  private lasting(command: vscode.Command): vscode.Command {
    const args = (command.arguments ?? []) as unknown[];
    if (args.length === 0) return command;
    const key = `${command.command} ${JSON.stringify(args)}`;
    let id = this.lensCommands.get(key);
    if (id === undefined) {
      id = `unitproof.lens.${this.lensCommands.size}`;
      this.lensCommands.set(key, id);
      this.disposables.push(
        vscode.commands.registerCommand(id, () => vscode.commands.executeCommand(command.command, ...args)),
      );
    }
    return { ...command, command: id, arguments: [] };
  }

  private newClient(server: Server): Client {
    const options: LanguageClientOptions = {
      documentSelector: [
        { scheme: "file", language: "c" },
        // VS Code takes a header for C++.
        { scheme: "file", pattern: "**/*.h" },
        { scheme: "file", pattern: "**/unitproof.toml" },
        // Proofs in these are shown while they are open; VS Code has no language for assembly of LLVM.
        { scheme: "file", language: "rust" },
        { scheme: "file", pattern: "**/*.ll" },
      ],
      synchronize: { configurationSection: "unitproof" },
      initializationOptions: {
        trusted: vscode.workspace.isTrusted,
        settings: vscode.workspace.getConfiguration("unitproof"),
        showsAnswers: true,
        commandLinks: true,
        without: without(),
      },
      outputChannel: this.output,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      // We say ourselves what went wrong, in words.
      initializationFailedHandler: () => false,
      diagnosticCollectionName: "unitproof",
      markdown: { isTrusted: { enabledCommands: [...LINKED] } },
      middleware: {
        handleWorkDoneProgress: (token, params, next) => {
          // The status bar's own item counts already. An end is passed on: the client waits for it.
          const shown = vscode.workspace.getConfiguration("unitproof").get<boolean>("statusBar", true);
          if (params.kind === "end" || !shown) next(token, params);
        },
        resolveCodeLens: async (lens, token, next) => {
          const resolved = await next(lens, token);
          if (resolved?.command !== undefined) resolved.command = this.lasting(resolved.command);
          return resolved;
        },
        executeCommand: (command, args, next) =>
          this.commandUI(command, args as unknown[], () => Promise.resolve(next(command, args))),
        provideInlayHints: async (document, range, token, next) => {
          // Beside a failing line stands its message, which would cover them.
          const failing = new Set(
            this.model.marks(document.uri).flatMap((m) => (m.verdict === "failed" && !m.stale ? [m.line] : [])),
          );
          return (await next(document, range, token))?.filter((hint) => !failing.has(hint.position.line));
        },
      },
    };
    return new Client({ command: server.command, args: ["lsp"] }, options);
  }

  /** What follows each start: the handshake, the proofs there are, and what is missing on the machine. */
  private async greet(client: Client, generation: number): Promise<void> {
    const stale = () => generation !== this.generation || this.client !== client;
    const experimental = client.initializeResult?.capabilities.experimental as
      { unitproof?: { protocol?: number } } | undefined;
    const spoken = experimental?.unitproof?.protocol;
    if (spoken !== PROTOCOL) {
      const version = client.initializeResult?.serverInfo?.version ?? "of unknown version";
      this.client = undefined;
      this.setStatus("failed");
      await this.retire(client);
      await this.tellProtocol(version, spoken);
      return;
    }
    try {
      const result = await client.sendRequest<ProofsResult>(Request.proofs, {});
      if (stale()) return;
      this.model.reset(result.proofs);
      this.setStatus("running");
      // Nothing is run for a workspace that is not trusted. Once it is, the server says what is missing.
      if (!vscode.workspace.isTrusted) return;
      const doctor = await this.execute<DoctorResult>(Command.doctor);
      if (stale()) return;
      await this.tellDoctor(doctor);
    } catch (e) {
      if (!stale()) this.log.error(`after the start: ${String(e)}`);
      if (!stale() && this.status === "starting") this.setStatus("running");
    }
  }

  // ---- what is missing, and the command that brings it -------------------------------------------

  private async tellMissing(e: ServerMissing): Promise<void> {
    const settings = "Open Settings";
    const picked = await vscode.window.showErrorMessage(e.message, settings, "Try Again");
    if (picked === settings) await openSettings("unitproof.path");
    else if (picked !== undefined) await this.restart();
  }

  private async tellFailed(server: Server, cause: unknown): Promise<void> {
    const why = await firstWords(server.command);
    const library = /while loading shared libraries: (\S+):/.exec(why)?.[1];
    if (library?.startsWith("libz3")) {
      await tellCommand(`unitproof cannot start: ${library} is missing.`, "sudo apt-get install libz3-4");
      return;
    }
    const message = why !== "" ? why : String(cause instanceof Error ? cause.message : cause);
    const picked = await vscode.window.showErrorMessage(
      `unitproof cannot start (${server.command}): ${message}`,
      "Show Output",
      "Try Again",
    );
    if (picked === "Show Output") this.output.show();
    else if (picked !== undefined) await this.restart();
  }

  private async tellProtocol(version: string, spoken: number | undefined): Promise<void> {
    const other = spoken === undefined ? "an older protocol" : `protocol ${spoken}`;
    const newer = spoken !== undefined && spoken > PROTOCOL;
    const remedy = newer ? "Update the extension." : "Update the program, or clear the setting unitproof.path.";
    const picked = await vscode.window.showErrorMessage(
      `The program ${this.server?.command ?? "unitproof"} (${version}) speaks ${other}, ` +
        `this extension protocol ${PROTOCOL}. ${remedy}`,
      ...(newer ? [] : ["Open Settings"]),
    );
    if (picked !== undefined) await openSettings("unitproof.path");
  }

  private async tellDoctor(doctor: DoctorResult): Promise<void> {
    const missing = doctor.parts.filter((p) => p.required && !p.ok);
    if (missing.length === 0) return;
    const key = missing.map((p) => p.name).join();
    // Once per window: a crashed server that comes back has no news.
    if (this.told.has(key)) return;
    this.told.add(key);
    await tellParts(missing);
  }

  private setStatus(status: Status): void {
    this.status = status;
    this.statusEmitter.fire(status);
  }

  dispose(): void {
    void this.stop();
    for (const d of this.disposables) d.dispose();
  }
}

/** Names the parts that are missing with the command that installs them, where there is one. */
export async function tellParts(missing: DoctorResult["parts"]): Promise<void> {
  const names = missing.map((p) => p.name).join(", ");
  const install = missing.map((p) => shellCommand(p.advice)).find((c) => c !== undefined);
  const advice = missing.map((p) => p.advice ?? p.detail).join("; ");
  const message = `unitproof cannot verify: ${names} ${missing.length === 1 ? "is" : "are"} missing.`;
  if (install !== undefined) await tellCommand(message, install);
  else await vscode.window.showErrorMessage(`${message} ${advice}`);
}

async function tellCommand(message: string, command: string): Promise<void> {
  const run = "Run in Terminal";
  const picked = await vscode.window.showErrorMessage(`${message} Install it with: ${command}`, run, "Copy Command");
  if (picked === run) {
    const terminal = vscode.window.createTerminal("unitproof");
    terminal.show();
    // Not executed: the user reads it, and presses Enter.
    terminal.sendText(command, false);
  } else if (picked !== undefined) {
    await vscode.env.clipboard.writeText(command);
  }
}

/**
 * What the server must not offer here. Published diagnostics arrive sooner than pulled ones. Of the providers of
 * semantic tokens and of a call hierarchy VS Code takes one only, and that of an extension for C says more; clauses of
 * contracts are coloured by a grammar instead.
 */
function without(): string[] {
  const forC = ["llvm-vs-code-extensions.vscode-clangd", "ms-vscode.cpptools"];
  const has = forC.some((id) => vscode.extensions.getExtension(id) !== undefined);
  return ["pullDiagnostics", "semanticTokens", ...(has ? ["callHierarchy"] : [])];
}

async function openSettings(key: string): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.openSettings", key);
}

/** What the program says when it cannot even name its version; empty when it can. */
function firstWords(command: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, ["version"], { timeout: 5000 }, (error, _stdout, stderr) => {
      resolve(error === null ? "" : (stderr.trim().split("\n")[0] ?? ""));
    });
  });
}
