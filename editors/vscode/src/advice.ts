/**
 * Reading the doctor's advice. This file knows nothing of VS Code.
 */

/** The command in a piece of advice such as “install it: sudo apt-get install clang-14”. */
export function shellCommand(advice: string | undefined): string | undefined {
  const command =
    /((?:sudo )?(?:(?:apt-get|apt|dnf|zypper|brew) install|apk add|pacman -S) [\w.+\- ]+[\w+])/;
  return command.exec(advice ?? "")?.[1];
}
