// Writes THIRD_PARTY_NOTICES.txt: the licences of what is inside the package, that is of the npm packages in
// dist/extension.js and, if the server is inside, of its Go modules and C libraries (.ci/notices.sh).
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import * as path from "node:path";

const parts = [];
const add = (name, text) => parts.push(`${"=".repeat(78)}\n${name}\n${"=".repeat(78)}\n\n${text.trim()}\n`);
const licenceIn = (folder) =>
  readdirSync(folder)
    .filter((f) => /^(licen[cs]e|copying|notice)/i.test(f))
    .sort();

// The packages that esbuild has put into the bundle.
const map = JSON.parse(readFileSync("dist/extension.js.map", "utf8"));
const packages = new Set();
for (const source of map.sources) {
  const inside = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(source);
  if (inside) packages.add(path.resolve("dist", inside[1]));
}
if (packages.size === 0) throw new Error("dist/extension.js.map names no package");
for (const folder of [...packages].sort()) {
  const manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
  const files = licenceIn(folder);
  if (files.length === 0) throw new Error(`${folder} has no licence`);
  add(
    `${manifest.name} ${manifest.version} (npm)`,
    files.map((f) => readFileSync(path.join(folder, f), "utf8")).join("\n\n"),
  );
}
if (existsSync("server")) parts.push(execFileSync("bash", ["../../.ci/notices.sh"], { encoding: "utf8" }));

writeFileSync(
  "THIRD_PARTY_NOTICES.txt",
  `unitproof is licensed under the Apache License 2.0 (LICENSE). This package holds, besides:\n\n${parts.join("\n\n")}`,
);
