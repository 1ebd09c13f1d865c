/**
 * How a native debugger is started on a counterexample. This file knows nothing of VS Code but the
 * ids of two extensions for it.
 */
import type { NativeDebugResult } from "./protocol";

/** A launch configuration: keys that each debugger names its own way. */
export interface NativeConfiguration {
  type: string;
  request: string;
  name: string;
  [key: string]: unknown;
}

/** The command for a shell that starts a debugger of the terminal on it, stopped at the violation. */
export function nativeCommand(built: NativeDebugResult, debuggerName: "gdb" | "lldb"): string {
  const { program, args = [], env = [], cwd, breakpointFunction } = built;
  const stop =
    breakpointFunction === undefined
      ? []
      : debuggerName === "gdb"
        ? ["-ex", quote("set breakpoint pending on"), "-ex", quote(`break ${breakpointFunction}`)]
        : ["-o", quote(`breakpoint set --name ${breakpointFunction}`)];
  const words = [
    ...(env.length > 0 ? ["env", ...env.map(quote)] : []),
    debuggerName,
    ...stop,
    ...(debuggerName === "gdb" ? ["-ex", "run", "--args"] : ["-o", "run", "--"]),
    ...[program, ...args].map(quote),
  ];
  return `${cwd === undefined ? "" : `cd ${quote(cwd)} && `}${words.join(" ")}`;
}

/** A word for a POSIX shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The launch configuration for CodeLLDB, else for the C/C++ extension, else none. */
export function nativeConfiguration(
  built: NativeDebugResult,
  installed: (extension: string) => boolean,
): NativeConfiguration | undefined {
  const { program, args = [], cwd, breakpointFunction } = built;
  const env = (built.env ?? []).map((word) => {
    const [name = "", ...value] = word.split("=");
    return { name, value: value.join("=") };
  });
  const common = {
    request: "launch",
    name: "unitproof: the counterexample, natively",
    program,
    args,
    ...(cwd ? { cwd } : {}),
  };
  if (installed("vadimcn.vscode-lldb")) {
    return {
      ...common,
      type: "lldb",
      env: Object.fromEntries(env.map(({ name, value }) => [name, value])),
      ...(breakpointFunction ? { preRunCommands: [`breakpoint set --name ${breakpointFunction}`] } : {}),
    };
  }
  if (installed("ms-vscode.cpptools")) {
    return {
      ...common,
      type: "cppdbg",
      MIMode: "gdb",
      environment: env,
      ...(breakpointFunction
        ? { setupCommands: [{ text: `-break-insert -f ${breakpointFunction}`, description: "stop at the violation" }] }
        : {}),
    };
  }
  return undefined;
}
