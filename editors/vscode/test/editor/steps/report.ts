/** The page of `unitproof report --html`, in the browser that is there: light, dark, by keyboard, on paper. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";
import type { Part } from "./step";

/** A list of which a member is used after it was freed, and a write behind a block. */
const source = `#include <stdlib.h>
#include <unitproof.h>
struct node { int key; struct node *next; char tag[3]; };
int main(void) {
  struct node first = {1, NULL, "ab"}, *second = malloc(sizeof *second);
  unsigned n = nd_unsigned();
  assume(n < 5 && second);
  first.next = second;
  *second = (struct node){2, &first, "cd"};
  char *text = malloc(4);
  if (text) text[n] = 'x';
  free(text);
  free(second);
  sassert(first.next->key == 2);
}
`;

export const report: Part = async (code, step) => {
  await step("the page draws the memory at a violation, for every reader", async () => {
    const folder = path.join(code.workspace, "..", "report");
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, "node.c"), source);
    const program = path.join(code.extensionFolder(), "server", "unitproof");
    const ran = spawnSync(program, ["report", "--html", "page", "node.c"], { cwd: folder, encoding: "utf8" });
    assert.equal(ran.status, 1, ran.stdout + ran.stderr);
    const url = pathToFileURL(path.join(folder, "page", "index.html")).href;
    const colours: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await code.newPage({ colorScheme, viewport: { width: 1100, height: 900 } });
      const asked: string[] = [];
      page.on("request", (r) => asked.push(r.url()));
      await page.goto(url);
      assert.deepEqual(asked, [url], "it loads nothing");
      assert.ok((await page.locator(".memory svg").count()) >= 2);
      assert.match(
        (await page.locator(".memory svg").first().getAttribute("aria-label")) ?? "",
        /text = malloc#2.*writes 1 byte at offset 4, beyond its end/,
      );
      // With the browser's own fonts no text leaves its box, and no two boxes lie on each other.
      const wrong = await page.evaluate(() => {
        const out: string[] = [];
        for (const svg of document.querySelectorAll<SVGSVGElement>(".memory svg")) {
          const boxes = [...svg.querySelectorAll<SVGGraphicsElement>(".box")].map((b) => b.getBBox());
          const texts = [...svg.querySelectorAll<SVGGraphicsElement>("text")];
          for (const text of texts) {
            const t = text.getBBox();
            if (!boxes.some((b) => t.x >= b.x && t.x + t.width <= b.x + b.width && t.y >= b.y && t.y <= b.y + b.height))
              out.push(`outside: ${text.textContent}`);
          }
          for (const a of texts) {
            for (const b of texts) {
              const s = a.getBBox();
              const t = b.getBBox();
              const over = s.x + 1 < t.x + t.width && t.x + 1 < s.x + s.width && Math.abs(s.y - t.y) < 8;
              if (a !== b && over) out.push(`“${a.textContent}” over “${b.textContent}”`);
            }
          }
        }
        return out;
      });
      assert.deepEqual(wrong, []);
      const look = (selector: string) =>
        page.locator(selector).first().evaluate((e) => getComputedStyle(e).fill);
      const [text, bad, box] = [await look(".memory .title"), await look(".memory .bad"), await look(".memory .box")];
      assert.ok(contrast(text, box) >= 4.5, `${text} on ${box}`);
      assert.ok(contrast(bad, box) >= 4.5, `${bad} on ${box}`);
      colours.push(box);
      await page.locator(".memory").first().focus();
      assert.equal(await page.evaluate(() => document.activeElement?.className), "memory");
      await page.locator(".memory").first().scrollIntoViewIfNeeded();
      await page.screenshot({ path: code.pictureFile(`report-${colorScheme}`) });
      // On paper nothing is cut off, however narrow it is.
      await page.emulateMedia({ media: "print", colorScheme: "light" });
      await page.setViewportSize({ width: 500, height: 900 });
      const widths = await page
        .locator(".memory svg")
        .evaluateAll((list) => list.map((e) => e.getBoundingClientRect().right - document.body.clientWidth));
      assert.ok(Math.max(...widths) <= 0, `${widths}`);
      await page.context().close();
    }
    assert.notEqual(colours[0], colours[1]);
  });
};

/** The contrast of two colours as the Web Content Accessibility Guidelines have it, from 1 to 21. */
function contrast(a: string, b: string): number {
  const luminance = (colour: string): number => {
    const [r = 0, g = 0, b = 0] = (colour.match(/[\d.]+/g) ?? []).map((s) => {
      const c = Number(s) / 255;
      return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}
