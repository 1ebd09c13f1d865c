/**
 * Where the server is found: the setting, then the one that comes with the extension, then PATH.
 *
 * This file knows nothing of VS Code; what it needs from outside comes as arguments.
 */
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";

export type Origin = "setting" | "bundled" | "PATH";

export interface Server {
  command: string;
  origin: Origin;
}

export interface Sources {
  /** The setting unitproof.path; empty: not set. */
  setting: string;
  /** The first workspace folder, for ${workspaceFolder} and relative paths. */
  folder: string | undefined;
  /** The folder of the extension. */
  extension: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
}

export class ServerMissing extends Error {
  constructor(
    message: string,
    /** The setting names a file that is not there or no program: the remedy is the setting. */
    readonly bySetting: boolean,
  ) {
    super(message);
  }
}

/** Finds the server, or throws ServerMissing with a sentence that says what to do. */
export function findServer(s: Sources): Server {
  const exe = s.platform === "win32" ? "unitproof.exe" : "unitproof";
  if (s.setting !== "") {
    const named = expand(s.setting, s.folder);
    // A bare name is looked up as a shell would.
    const command =
      named.includes("/") || named.includes("\\") ? path.resolve(s.folder ?? "", named) : onPath(named, s);
    if (command === undefined || !isProgram(command)) {
      throw new ServerMissing(
        `The setting unitproof.path is “${s.setting}”, and ${command ?? "PATH"} has no such program. ` +
          `Correct the setting, or clear it to use the program that comes with the extension or is on PATH.`,
        true,
      );
    }
    return { command, origin: "setting" };
  }
  const bundled = path.join(s.extension, "server", exe);
  if (isProgram(bundled)) return { command: bundled, origin: "bundled" };
  const found = onPath(exe, s);
  if (found !== undefined) return { command: found, origin: "PATH" };
  throw new ServerMissing(
    "The program unitproof is neither on PATH nor part of this package of the extension. " +
      "Build it with “make build” in a clone of unitproof, and set unitproof.path to its " +
      "bin/unitproof or add that folder to PATH.",
    false,
  );
}

function expand(setting: string, folder: string | undefined): string {
  let s = setting;
  if (s === "~" || s.startsWith("~/")) s = homedir() + s.slice(1);
  return s.replaceAll("${workspaceFolder}", folder ?? "");
}

/** Where PATH has a program of this name; undefined: nowhere. */
export function onPath(name: string, s: Pick<Sources, "env" | "platform">): string | undefined {
  const list = s.env["PATH"] ?? s.env["Path"] ?? "";
  for (const dir of list.split(s.platform === "win32" ? ";" : ":")) {
    // An empty or relative entry would be the working directory: a program of the workspace.
    if (!path.isAbsolute(dir)) continue;
    const candidate = path.join(dir, name);
    if (isProgram(candidate)) return candidate;
  }
  return undefined;
}

function isProgram(file: string): boolean {
  try {
    if (!statSync(file).isFile()) return false;
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
