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

/** The launch configuration for CodeLLDB, else for the C/C++ extension, else none. */
export function nativeConfiguration(
  built: NativeDebugResult,
  installed: (extension: string) => boolean,
): NativeConfiguration | undefined {
  const { program, args = [], env = {}, cwd, breakpointFunction } = built;
  const common = { request: "launch", name: "unitproof: the counterexample, natively", program, args, ...(cwd ? { cwd } : {}) };
  if (installed("vadimcn.vscode-lldb")) {
    return {
      ...common,
      type: "lldb",
      env,
      ...(breakpointFunction ? { preRunCommands: [`breakpoint set --name ${breakpointFunction}`] } : {}),
    };
  }
  if (installed("ms-vscode.cpptools")) {
    return {
      ...common,
      type: "cppdbg",
      MIMode: "gdb",
      environment: Object.entries(env).map(([name, value]) => ({ name, value })),
      ...(breakpointFunction
        ? { setupCommands: [{ text: `-break-insert -f ${breakpointFunction}`, description: "stop at the violation" }] }
        : {}),
    };
  }
  return undefined;
}
