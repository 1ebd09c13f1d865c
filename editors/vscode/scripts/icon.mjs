// Draws media/icon.svg as media/icon.png, which the Marketplace and VS Code's list of extensions want.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage({ viewport: { width: 128, height: 128 } });
await page.setContent(`<style>body{margin:0}svg{display:block}</style>${readFileSync("media/icon.svg", "utf8")}`);
await page.screenshot({ path: "media/icon.png", omitBackground: true });
await browser.close();
