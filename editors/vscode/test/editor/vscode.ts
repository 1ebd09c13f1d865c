/**
 * A real VS Code for tests: its server build with the packaged extension installed, and headless
 * Chromium that shows its workbench. Started once for all tests; everything it writes is in one
 * temporary folder.
 *
 * Commands, edits and states that need no eyes go through an extension beside (companion/extension.js); the page is
 * read for what only it has: marks, lenses, trees. Every wait is for a condition.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createConnection, createServer } from "node:net";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** The longest any single thing may take, in milliseconds. Machines of tests are busy. */
export const PATIENCE = 1000 * Number(process.env["PATIENCE"] ?? 180);

export interface Options {
  /** The folder of VS Code's server build. */
  vscode: string;
  /** The packaged extension. */
  vsix: string;
  /** The workspace, copied before it is opened. */
  example: string;
  /** User settings beside those every test has. */
  settings?: Record<string, unknown>;
  /** Extra variables for the server process and all it starts. */
  env?: Record<string, string>;
  /** Where pictures of failures go. */
  pictures: string;
}

/** The answer of a tool for language models. */
export interface ToolAnswer {
  text?: string;
  error?: string;
}

export class VSCode {
  /** The file that was opened last. */
  private file = "";

  private constructor(
    readonly page: Page,
    /** The folder that is open. */
    readonly workspace: string,
    private readonly home: string,
    private readonly browser: Browser,
    private readonly server: ChildProcess,
    private readonly options: Options,
    private readonly port: number,
  ) {}

  static async start(options: Options): Promise<VSCode> {
    const home = mkdtempSync(path.join(tmpdir(), "unitproof-editor-"));
    const workspace = path.join(home, "ring");
    cpSync(options.example, workspace, { recursive: true });
    const userData = path.join(home, "user");
    const extensions = path.join(home, "extensions");
    mkdirSync(path.join(userData, "User"), { recursive: true });
    writeFileSync(path.join(userData, "User", "settings.json"), JSON.stringify({ ...settings, ...options.settings }));
    const main = path.join(options.vscode, "out", "server-main.js");
    const folders = ["--user-data-dir", userData, "--extensions-dir", extensions];
    const env = { ...process.env, ...options.env, XDG_CACHE_HOME: path.join(home, "cache"), HOME: home };
    execFileSync(process.execPath, [main, ...folders, "--install-extension", options.vsix], { env, stdio: "pipe" });
    installFolder(path.resolve("test/editor/companion"), extensions);

    const port = await freePort();
    const server = spawn(
      process.execPath,
      [
        main,
        "--host",
        "127.0.0.1",
        "--port",
        String(port),
        "--without-connection-token",
        "--accept-server-license-terms",
        ...folders,
      ],
      { env, stdio: ["ignore", "pipe", "pipe"], detached: true },
    );
    let said = "";
    let browser: Browser | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const hear = (chunk: Buffer) => {
          said += chunk.toString();
          if (said.includes("Extension host agent listening")) resolve();
        };
        server.stdout?.on("data", hear);
        server.stderr?.on("data", hear);
        server.on("exit", (code) => reject(new Error(`VS Code's server ended (${code}): ${said}`)));
        setTimeout(() => reject(new Error(`VS Code's server does not listen: ${said}`)), PATIENCE).unref();
      });
      browser = await chromium.launch({
        executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
        headless: true,
        args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--font-render-hinting=none"],
      });
      const context = await browser.newContext({ viewport: { width: 1240, height: 820 }, deviceScaleFactor: 1.25 });
      await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: `http://127.0.0.1:${port}` });
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE);
      const code = new VSCode(page, workspace, home, browser, server, options, port);
      await code.show("folder", workspace);
      return code;
    } catch (e) {
      await browser?.close();
      kill(server);
      throw e;
    }
  }

  /** Shows a folder, or the folders that a .code-workspace names, in the window. */
  private async show(what: "folder" | "workspace", where: string): Promise<void> {
    await this.page.goto(`http://127.0.0.1:${this.port}/?${what}=${encodeURIComponent(where)}`);
    await this.page.waitForSelector(".monaco-workbench .statusbar");
  }

  /** Opens the folder together with another one, which gets these files. Returns the other folder. */
  async openWith(name: string, files: Record<string, string>): Promise<string> {
    const other = path.join(this.home, name);
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(other, file)), { recursive: true });
      writeFileSync(path.join(other, file), text);
    }
    const workspace = path.join(this.home, "both.code-workspace");
    writeFileSync(workspace, JSON.stringify({ folders: [{ path: this.workspace }, { path: other }] }));
    await this.show("workspace", workspace);
    // A window that reads the file before its server answers shows a workspace without folders, for good.
    await this.until("the folders", async () => {
      if ((await this.statusBar()) !== "") return true;
      if ((await this.page.getByText("You have not yet added a folder").count()) > 0)
        await this.show("workspace", workspace);
      return false;
    });
    return other;
  }

  /** How many language servers run that the extension has started. */
  servers(): number {
    const program = path.join(this.extensionFolder(), "server", "unitproof");
    return readdirSync("/proc").filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        return words[0] === program && words[1] === "lsp";
      } catch {
        return false; // not a process, or gone
      }
    }).length;
  }

  async stop(): Promise<void> {
    await this.browser.close();
    const gone = new Promise((resolve) => this.server.once("exit", resolve));
    kill(this.server);
    await gone;
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Waits until `look` gives something true, and returns that. Says what it saw last when it never does. */
  async until<T>(what: string, look: () => Promise<T | undefined | false>, patience = PATIENCE): Promise<T> {
    const end = Date.now() + patience;
    let last: unknown;
    for (;;) {
      try {
        const seen = await look();
        if (seen) return seen;
        last = seen;
      } catch (e) {
        last = e;
      }
      if (Date.now() > end) {
        const picture = await this.picture(`failure-${what.replace(/[^a-z0-9]+/gi, "-").slice(0, 60)}`);
        throw new Error(
          `never came: ${what}; last: ${String(last)}; picture: ${picture}\n${await this.state()}\n${this.logs()}`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** Waits until a list holds an element that matches; returns it. */
  async untilSome(what: string, list: () => Promise<string[]>, like: RegExp): Promise<string> {
    let last: string[] = [];
    try {
      return await this.until(`${what}: ${like}`, async () => {
        last = await list();
        return last.find((s) => like.test(s));
      });
    } catch (e) {
      throw new Error(`${String(e instanceof Error ? e.message : e)}\nthe list was:\n  ${last.join("\n  ")}`);
    }
  }

  /** A page of its own in the browser. Who asks for it closes its context. */
  async newPage(options: BrowserContextOptions): Promise<Page> {
    return (await this.browser.newContext(options)).newPage();
  }

  /** Where a picture of this name goes. */
  pictureFile(name: string): string {
    mkdirSync(this.options.pictures, { recursive: true });
    return path.join(this.options.pictures, `${name}.png`);
  }

  async picture(name: string): Promise<string> {
    const file = this.pictureFile(name);
    await this.page.screenshot({ path: file });
    return file;
  }

  // ---- keyboard and commands -----------------------------------------------------------------------

  /** Asks the companion, once it listens: a window that is being replaced takes its companion with it. */
  private async ask<T>(name: string, ...args: unknown[]): Promise<T> {
    const answer = await this.until(`the companion (${name})`, () => this.request([name, ...args]));
    const { result, error } = JSON.parse(answer) as { result?: T; error?: string };
    if (error !== undefined) throw new Error(`${name} ${JSON.stringify(args)}: ${error}`);
    return result as T;
  }

  private request(request: unknown[]): Promise<string> {
    return new Promise((resolve, reject) => {
      let answer = "";
      const connection = createConnection(path.join(this.home, "companion.sock"));
      connection.on("connect", () => connection.write(`${JSON.stringify(request)}\n`));
      connection.on("data", (chunk) => (answer += chunk.toString()));
      connection.on("error", reject);
      connection.on("close", () => resolve(answer));
    });
  }

  /** Executes a command by its id, and waits until it has ended. */
  async run(id: string, ...args: unknown[]): Promise<void> {
    await this.ask("run", id, ...args);
  }

  /** Executes a command by its id that asks the user for something, or tells something and waits for an answer. */
  async begin(id: string, ...args: unknown[]): Promise<void> {
    await this.ask("begin", id, ...args);
  }

  /** The names of the tools for language models, and the answers of these calls. */
  async callTools(calls: { name: string; input: object }[]): Promise<{ tools: string[]; answers: ToolAnswer[] }> {
    return this.ask("call", calls);
  }

  /** Executes a command of the palette by its full title, as a user does. */
  async command(title: string): Promise<void> {
    await this.pick("F1", `>${title}`, named(title, ","));
  }

  /** Opens a file of the workspace, with the cursor on a line (from 1). */
  async open(file: string, line = 1): Promise<void> {
    await this.ask("open", path.join(this.workspace, file), line);
    await this.page.locator(`.tab.active[data-resource-name="${path.basename(file)}"]`).waitFor();
    this.file = file;
  }

  /** Puts the cursor on a line of the file that was opened last. */
  async goTo(line: number): Promise<void> {
    await this.open(this.file, line);
  }

  /** Opens the quick input by a key, types, and takes an entry. */
  private async pick(key: string, text: string, entry: RegExp): Promise<void> {
    const input = this.page.locator(".quick-input-widget:not(.hidden) input[type=text]");
    let typed: number | undefined; // when, of the input that is open
    let taken: number | undefined;
    await this.until(`the entry ${entry} of the quick input`, async () => {
      if (!(await input.isVisible())) {
        if (taken !== undefined) return true;
        typed = undefined;
        // The workbench drops keys while it starts.
        await this.page.keyboard.press(key);
        await input.waitFor({ timeout: 2000 }).catch(() => undefined);
        return false;
      }
      if (typed === undefined) {
        await input.fill(text, { timeout: 2000 });
        typed = Date.now();
      }
      // Some commands ask for more in the same widget.
      if (taken !== undefined && (await input.inputValue({ timeout: 2000 }).catch(() => "")) !== text) return true;
      if (Date.now() - typed > 15_000) {
        // Now and then VS Code takes nothing from a list that it filled while a key arrived: open another one.
        await this.page.keyboard.press("Escape");
        typed = taken = undefined;
      } else if (Date.now() - (taken ?? 0) > 1000 && (await this.takeEntry(entry, text))) {
        taken = Date.now();
      }
      return false;
    });
  }

  /** Takes an entry of the quick input that is open. */
  async choose(entry: RegExp): Promise<void> {
    await this.until(`the entry ${entry}`, () => this.takeEntry(entry));
  }

  /**
   * Clicks an entry of the quick input if it is there (and the input reads `text`). A list that is being filled still
   * shows what it had before, so an entry that was found is another one by the time that a key or the mouse arrives:
   * “Run All Tests with Coverage” instead of “Run All Tests”. Hence looking and clicking are one step of the page's
   * own.
   */
  private takeEntry(entry: RegExp, text?: string): Promise<boolean> {
    return this.page.evaluate(
      ([pattern, text]) => {
        const widget = document.querySelector(".quick-input-widget:not(.hidden)");
        const input = widget?.querySelector<HTMLInputElement>("input[type=text]");
        if (input?.checkVisibility() !== true || (text !== undefined && input.value !== text)) return false;
        const rows = [...(widget?.querySelectorAll(".quick-input-list .monaco-list-row") ?? [])];
        const row = rows.find((r) => new RegExp(pattern).test(r.getAttribute("aria-label") ?? ""));
        row?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, view: window }));
        return row !== undefined;
      },
      [entry.source, text] as const,
    );
  }

  /** Opens a file, replaces the line that reads `old` (the indentation aside), and saves it or not. */
  async change(file: string, old: string, text: string, save = true): Promise<void> {
    const line =
      this.readFile(file)
        .split("\n")
        .findIndex((l) => l.trim() === old) + 1;
    if (line === 0) throw new Error(`${file} has no line “${old}”:\n${this.readFile(file)}`);
    await this.open(file, line);
    await this.ask("replaceLine", path.join(this.workspace, file), line, text);
    if (save) await this.save();
  }

  /** Saves the file in the active editor. */
  async save(): Promise<void> {
    await this.ask("save");
  }

  /** Replaces the settings of the workspace, and waits until they are in force. */
  async setSettings(settings: Record<string, unknown>): Promise<void> {
    mkdirSync(path.join(this.workspace, ".vscode"), { recursive: true });
    const before = existsSync(path.join(this.workspace, ".vscode/settings.json"))
      ? Object.keys(JSON.parse(this.readFile(".vscode/settings.json")) as object)
      : [];
    const usual: Record<string, unknown> = {};
    for (const name of before) if (!(name in settings)) usual[name] = await this.ask("usual", name);
    this.writeFile(".vscode/settings.json", JSON.stringify(settings));
    for (const [name, value] of Object.entries({ ...usual, ...settings }))
      await this.until(`${name} is ${String(value)}`, async () => (await this.ask("setting", name)) === value);
  }

  /** Clicks a button of the debugger's toolbar: continue, reverse-continue, step-back, step-over, stop. */
  async debug(button: string): Promise<void> {
    await this.page.locator(`.debug-toolbar [class*="codicon-debug-${button}"]`).first().click();
  }

  /** Takes an entry of the menu that a row of a list has. */
  async menu(row: string, entry: string): Promise<void> {
    await this.page.locator(row).first().click({ button: "right" });
    const item = this.page.locator(".monaco-menu .action-item", { hasText: entry }).first();
    await item.waitFor();
    // A menu that has just opened takes no click yet, lest it be one of those that opened it.
    await this.until(`the end of the menu (${entry})`, async () => {
      if (await item.isVisible()) await item.click({ timeout: 2000 }).catch(() => undefined);
      return !(await item.isVisible());
    });
  }

  /** Clicks a button of a message. */
  async answer(button: string): Promise<void> {
    await this.page.locator(".notification-list-item .monaco-button", { hasText: button }).first().click();
  }

  async clipboard(): Promise<string> {
    return this.page.evaluate(() => navigator.clipboard.readText());
  }

  async focusEditor(): Promise<void> {
    await this.run("workbench.action.focusFirstEditorGroup");
  }

  // ---- what can be seen ------------------------------------------------------------------------------

  /** The text of the visible part of the editor. */
  async text(): Promise<string> {
    const lines = await this.page.locator(".editor-instance .view-lines").first().innerText();
    return lines.replaceAll("\u00a0", " ");
  }

  /** The marks beside the line numbers: “16 failed”, “16 failed-stale”, in the order of lines. */
  async gutter(): Promise<string[]> {
    return this.page.evaluate(() => {
      const editor = document.querySelector(".editor-instance .monaco-editor");
      if (editor === null) return [];
      const numbers = [...editor.querySelectorAll<HTMLElement>(".margin-view-overlays .line-numbers")].map((n) => ({
        line: n.textContent ?? "",
        top: n.getBoundingClientRect().top,
      }));
      const marks: string[] = [];
      for (const glyph of editor.querySelectorAll<HTMLElement>(".glyph-margin-widgets > *, .margin .cgmr")) {
        const image = getComputedStyle(glyph).backgroundImage + getComputedStyle(glyph, "::before").backgroundImage;
        const data = /base64,([A-Za-z0-9+/=]+)/.exec(image)?.[1];
        const name = data === undefined ? undefined : /id="([a-z-]+)"/.exec(atob(data))?.[1];
        const top = glyph.getBoundingClientRect().top;
        const line = numbers.find((n) => Math.abs(n.top - top) < 3)?.line;
        if (name !== undefined && line !== undefined) marks.push(`${line} ${name}`);
      }
      return marks.sort((a, b) => parseInt(a) - parseInt(b));
    });
  }

  /** What stands beside lines, at their ends. */
  async besideLines(): Promise<string[]> {
    const all = await this.page.locator(".test-error-content-widget").allInnerTexts();
    return all.map((s) => s.replaceAll("\u00a0", " ").trim());
  }

  /** The variables of the debugger, as a screen reader says them: “len, value 8”. */
  async variables(): Promise<string[]> {
    return this.labels(".debug-variables .monaco-list-row");
  }

  /**
   * Waits for a variable of the debugger that is part of another one, and opens that. VS Code opens it by itself where
   * one of this name was open in the frame before, unless it looked in between.
   */
  async member(of: string, like: RegExp): Promise<void> {
    const row = this.page.locator(`.debug-variables .monaco-list-row[aria-label^='${of}, value']`).first();
    await this.until(`${like} in ${of}`, async () => {
      if ((await this.variables()).some((v) => like.test(v))) return true;
      if ((await row.getAttribute("aria-expanded", { timeout: 1000 })) === "false") {
        await row.locator(".monaco-tl-twistie").click({ timeout: 2000 });
        await new Promise((resolve) => setTimeout(resolve, 500)); // what is in it has to be asked for
      }
      return false;
    });
  }

  /** The debugger's frames, innermost first: “Stack Frame ring_push, line 7, ring.c”. */
  async frames(): Promise<string[]> {
    return this.labels(".debug-call-stack .monaco-list-row");
  }

  /** The squiggles: “16 error”. */
  async squiggles(): Promise<string[]> {
    return this.onLines("[class*=squiggly-]", "squiggly-(\\w+)");
  }

  /** What pops up when the mouse rests on a word of the editor, where it stands last. */
  async hover(word: string): Promise<string> {
    await this.page.mouse.move(0, 0);
    const spans = this.page.locator(".editor-instance .view-line > span > span", { hasText: word });
    await spans.last().hover({ timeout: 2000 });
    const popup = this.page.locator(".monaco-hover:not(.hidden) .monaco-hover-content").first();
    return popup.innerText({ timeout: 3000 });
  }

  /** The entries of the light bulb at the cursor, from the top. */
  async lightBulb(): Promise<string[]> {
    const rows = this.page.locator(".action-widget .monaco-list-row.action");
    return this.until("the light bulb", async () => {
      if ((await rows.count()) === 0) {
        await this.focusEditor();
        await this.page.keyboard.press("Control+.");
        await rows.first().waitFor({ timeout: 3000 }).catch(() => undefined);
      }
      const all = (await rows.allInnerTexts()).map((s) => s.replaceAll("\u00a0", " ").trim());
      return all.length > 0 && all;
    });
  }

  /** Takes an entry of the light bulb at the cursor. */
  async takeLightBulb(entry: string): Promise<void> {
    const all = await this.lightBulb();
    const focused = this.page.locator(".action-widget .monaco-list-row.action.focused");
    await this.until(`the entry ${entry}, of ${all.join("; ")}`, async () => {
      if ((await focused.innerText()).replaceAll("\u00a0", " ").trim() === entry) return true;
      await this.page.keyboard.press("ArrowDown");
      return false;
    });
    await this.page.keyboard.press("Enter");
  }

  /** Lines that coverage marks: “6 hit”, “5 miss”. */
  async coverage(): Promise<string[]> {
    return this.onLines("[class*=coverage-deco-gutter]", "coverage-deco-(hit|miss)");
  }

  /** Lines with a branch of which coverage marks ways that were not taken: “4 miss”. */
  async missedWays(): Promise<string[]> {
    return this.onLines("[class*=coverage-deco-branch]", "coverage-deco-branch-(miss)");
  }

  /** The line at which a debugger has stopped. */
  async stoppedAt(): Promise<number | undefined> {
    const lines = await this.onLines(".debug-top-stack-frame-line", "debug-top-stack-(frame)");
    return lines[0] === undefined ? undefined : parseInt(lines[0]);
  }

  /** Where a debugger has stopped, and why: “16 Violation: assertion”. */
  async stopped(): Promise<string> {
    const why = await this.page.locator(".call-stack-state-message").allInnerTexts();
    return `${(await this.stoppedAt()) ?? "?"} ${why.join(" ")}`;
  }

  /** Decorations in the editor: their lines, and what of their class names the pattern's group holds. */
  private async onLines(selector: string, pattern: string): Promise<string[]> {
    return this.page.evaluate(
      ([selector, pattern]) => {
        const editor = document.querySelector(".editor-instance .monaco-editor");
        if (editor === null) return [];
        const numbers = [...editor.querySelectorAll<HTMLElement>(".margin-view-overlays .line-numbers")].map((n) => ({
          line: n.textContent ?? "",
          top: n.getBoundingClientRect().top,
        }));
        const found: string[] = [];
        for (const s of editor.querySelectorAll<HTMLElement>(selector)) {
          const sort = new RegExp(pattern).exec(s.className)?.[1];
          const row = s.parentElement?.getBoundingClientRect().top ?? -100;
          const line = numbers.find((n) => Math.abs(n.top - row) < 6)?.line;
          if (sort !== undefined && line !== undefined) found.push(`${line} ${sort}`);
        }
        return found;
      },
      [selector, pattern] as const,
    );
  }

  /** The lenses' texts, those of one line joined. The editor has to have the focus: losing it cancels the
   * request for lenses that VS Code has scheduled, and getting it back makes up for that. */
  async lenses(): Promise<string[]> {
    await this.focusEditor();
    const all = await this.page.locator(".codelens-decoration").allInnerTexts();
    return all.map((s) => s.replaceAll("\u00a0", " ").trim()).filter((s) => s !== "");
  }

  /** Clicks a lens of the first proof of the file, which is near its top, and waits for what comes of it. A click
   * while VS Code replaces its lenses finds no command, which it says, or goes to none of them, which it does not: it
   * is repeated when nothing has come of it for a while. */
  async clickLens<T>(text: string, what: string, seen: () => Promise<T | undefined | false>): Promise<T> {
    let clicked = 0; // when, of the last click
    const click = async () => {
      await this.goTo(1);
      await this.page.locator(".codelens-decoration a", { hasText: text }).first().click();
      clicked = Date.now();
    };
    await click();
    return this.until(what, async () => {
      const result = await seen();
      if (result) return result;
      const lost = (await this.notifications()).some((n) => /^Actual command not found/.test(n));
      if (lost) await this.clearNotifications();
      if (lost || Date.now() - clicked > 20_000) await click();
      return false;
    });
  }

  /** All problems, whether the Problems view shows them or not: “Error: … at line 16 of ring.c (unitproof)”. */
  async problems(): Promise<string[]> {
    return this.ask("problems");
  }

  /** The rows of the Problems view that are in sight, as a screen reader says them. */
  async problemRows(): Promise<string[]> {
    if ((await this.page.locator(".markers-panel").count()) === 0) await this.run("workbench.panel.markers.view.focus");
    return this.labels(".markers-panel .monaco-list-row");
  }

  /** The rows of the Test Explorer: name, description, duration, state: “ring_push 1 failed: 0.2s (Failed)”;
   * “(Failed, outdated)” when it is from before an edit. */
  async tests(): Promise<string[]> {
    if ((await this.page.locator(".test-explorer").count()) === 0) {
      await this.run("workbench.view.testing.focus");
      await this.page.locator(".test-explorer .monaco-list").first().waitFor();
    }
    return this.page.locator(".test-explorer .monaco-list-row").evaluateAll((rows) =>
      rows.map((row) => {
        const label = row.getAttribute("aria-label") ?? "";
        const state = /\(([^()]*)\)[^()]*$/.exec(label)?.[1] ?? "?";
        const old = label.endsWith(", outdated result") ? ", outdated" : "";
        return `${(row as HTMLElement).innerText.replace(/\s+/g, " ").trim()} (${state}${old})`;
      }),
    );
  }

  /** Opens all of the Test Explorer's tree. */
  async expandTests(): Promise<void> {
    await this.until("all tests are expanded", async () => {
      const closed = this.page.locator('.test-explorer .monaco-list-row[aria-expanded="false"]');
      if ((await closed.count()) === 0) return true;
      await closed.first().locator(".monaco-tl-twistie").click();
      return false;
    });
  }

  /** The folder where the extension was installed. */
  extensionFolder(): string {
    const all = path.join(this.home, "extensions");
    const name = readdirSync(all).find((n) => n.startsWith("unitproof."));
    if (name === undefined) throw new Error("the extension is not installed");
    return path.join(all, name);
  }

  /** The messages at the lower right. */
  async notifications(): Promise<string[]> {
    const messages = this.page.locator(".notification-list-item-message");
    // Toasts hide after a while, or when another list was open; the bell has a dot then.
    const bell = this.page.locator('.statusbar-item[id="status.notifications"]:has(.codicon-bell-dot)');
    if ((await messages.count()) === 0 && (await bell.count()) > 0) {
      await bell.click({ timeout: 1_000 }).catch(() => undefined); // if the dot has gone by now, no message is hidden
    }
    const all = await messages.allInnerTexts();
    return all.map((s) => s.replaceAll("\u00a0", " "));
  }

  /** The errors and warnings among the messages. */
  async complaints(): Promise<string[]> {
    await this.notifications(); // shows the list
    const rows = this.page.locator(".notification-list-item:has(.codicon-error, .codicon-warning)");
    return rows.locator(".notification-list-item-message").allInnerTexts();
  }

  async clearNotifications(): Promise<void> {
    await this.run("notifications.clearAll");
  }

  async statusBar(): Promise<string> {
    const item = this.page.locator('.statusbar-item[id^="unitproof."]');
    return (await item.count()) === 0 ? "" : ((await item.first().getAttribute("aria-label")) ?? "");
  }

  async labels(selector: string): Promise<string[]> {
    return this.page.locator(selector).evaluateAll((rows) => rows.map((r) => r.getAttribute("aria-label") ?? ""));
  }

  // ---- the disk ---------------------------------------------------------------------------------------

  /** A path beside the workspace. */
  beside(name: string): string {
    return path.join(this.home, name);
  }

  /** The variables of all that is started. */
  environment(): NodeJS.ProcessEnv {
    return { ...process.env, ...this.options.env, XDG_CACHE_HOME: this.cache(), HOME: this.home };
  }

  /** The cache folder of all that is started. */
  cache(): string {
    return path.join(this.home, "cache");
  }

  readFile(file: string): string {
    return readFileSync(path.join(this.workspace, file), "utf8");
  }

  writeFile(file: string, text: string): void {
    writeFileSync(path.join(this.workspace, file), text);
  }

  /** What VS Code shows of the extension, for the message of a failure. */
  private async state(): Promise<string> {
    const parts = [
      `notifications: ${JSON.stringify(await this.notifications())}`,
      `gutter: ${JSON.stringify(await this.gutter())}`,
      `lenses: ${JSON.stringify(await this.lenses())}`,
      `status bar: ${await this.statusBar()}`,
      `commands that failed: ${await this.request(["broken"]).catch(String)}`,
    ];
    return parts.join("\n");
  }

  /** The last words of the extension's output channels. */
  private logs(): string {
    const found: string[] = [];
    const visit = (folder: string): void => {
      for (const entry of existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []) {
        const full = path.join(folder, entry.name);
        if (entry.isDirectory()) visit(full);
        else if (/unitproof[^/]*\.log$/i.test(full)) found.push(`${full}:\n${readFileSync(full, "utf8").slice(-5000)}`);
      }
    };
    for (const logs of ["user/logs", "user/data/logs"]) visit(path.join(this.home, logs));
    return found.join("\n");
  }
}

/** What every test has: nothing that types by itself, opens by itself, or asks. */
const settings = {
  "security.workspace.trust.enabled": false,
  "workbench.startupEditor": "none",
  "workbench.colorTheme": "Default Dark Modern",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "window.commandCenter": false,
  "chat.commandCenter.enabled": false,
  "editor.minimap.enabled": false,
  "editor.autoClosingBrackets": "never",
  "editor.autoClosingQuotes": "never",
  "editor.autoSurround": "never",
  "editor.autoIndent": "none",
  "editor.quickSuggestions": { other: "off", comments: "off", strings: "off" },
  "editor.suggestOnTriggerCharacters": false,
  "editor.acceptSuggestionOnEnter": "off",
  "editor.wordBasedSuggestions": "off",
  "editor.hover.delay": 100,
  "editor.cursorBlinking": "solid",
  "editor.fontFamily": "DejaVu Sans Mono",
  "editor.fontSize": 13,
  "editor.occurrencesHighlight": "off",
  "files.autoSave": "off",
  "unitproof.trace.server": "messages",
};

/** Adds the folder of an extension to those that are installed. */
function installFolder(folder: string, extensions: string): void {
  const { publisher, name, version } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const relative = `${publisher}.${name}-${version}`;
  const target = path.join(extensions, relative);
  cpSync(folder, target, { recursive: true });
  const file = path.join(extensions, "extensions.json");
  const list = JSON.parse(readFileSync(file, "utf8"));
  list.push({
    identifier: { id: `${publisher}.${name}` },
    version,
    location: { $mid: 1, path: target, scheme: "file" },
    relativeLocation: relative,
  });
  writeFileSync(file, JSON.stringify(list));
}

/** Matches a label that is a name, alone or with more behind one of some characters. */
function named(name: string, end: string): RegExp {
  return new RegExp(`^${name.replace(/[^\w ]/g, "\\$&")}(${end}|$)`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const s = createServer();
    s.on("error", reject);
    s.listen(0, "127.0.0.1", () => {
      const address = s.address();
      s.close(() =>
        typeof address === "object" && address !== null ? resolve(address.port) : reject(new Error("no port")),
      );
    });
  });
}

/** Ends a process and its group: VS Code's server starts others. */
function kill(child: ChildProcess): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}
