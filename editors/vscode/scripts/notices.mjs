// Writes THIRD_PARTY_NOTICES.txt: the licences of what is inside the package, that is of the npm packages
// in dist/extension.js, and, when the server is there, of its Go modules and C libraries. "--program FILE" writes those
// of the program alone to a file.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import * as path from "node:path";

// Modules that come without a licence file; a further one is an error until somebody has looked.
const unstated = {
  "github.com/mewmew/float":
    "States no licence. By the author of github.com/llir/llvm, which depends on it (BSD 0-clause, see there).",
};

const parts = [];
const add = (name, text) => parts.push(`${"=".repeat(78)}\n${name}\n${"=".repeat(78)}\n\n${text.trim()}\n`);
const licenceIn = (folder) =>
  readdirSync(folder)
    .filter((f) => /^(licen[cs]e|copying|notice)/i.test(f))
    .sort();

const alone = process.argv[2] === "--program" ? process.argv[3] : undefined;

if (!alone) {
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
}

if (alone || existsSync("server")) {
  const go = (...args) => execFileSync("go", args, { cwd: "../..", encoding: "utf8" });
  const modules = new Map();
  const format = "{{with .Module}}{{if not (or .Main .Replace)}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}";
  for (const line of go("list", "-deps", "-f", format, "./cmd/unitproof", "./cmd/unitproof-remote").split("\n")) {
    const [name, folder] = line.split("\t");
    if (name && folder) modules.set(name, folder);
  }
  for (const [name, folder] of [...modules].sort()) {
    const files = licenceIn(folder);
    if (files.length === 0 && !(name.split(" ")[0] in unstated))
      throw new Error(`the Go module ${name} has no licence`);
    if (files.length === 0) add(`${name} (Go)`, unstated[name.split(" ")[0]]);
    else add(`${name} (Go)`, files.map((f) => readFileSync(path.join(folder, f), "utf8")).join("\n\n"));
  }
  const version = go("env", "GOVERSION").trim().replace(/^go/, "");
  add(`stdlib ${version} (Go)`, readFileSync(path.join(go("env", "GOROOT").trim(), "LICENSE"), "utf8"));
  // What is linked in, by the Debian package it is from: libc6 into static programs only.
  for (const debian of ["libcadical-dev", "libstdc++6", "libgcc-s1", "libc6"]) {
    const file = `/usr/share/doc/${debian}/copyright`;
    if (!existsSync(file)) continue;
    const packaged = execFileSync("dpkg-query", ["-W", "-f=${Version}\n", debian], { encoding: "utf8" });
    add(`${debian} ${packaged.split("\n")[0]} (Debian)`, readFileSync(file, "utf8"));
  }
}

writeFileSync(
  alone ?? "THIRD_PARTY_NOTICES.txt",
  `unitproof is licensed under the Apache License 2.0 (LICENSE). This package holds, besides:\n\n${parts.join("\n\n")}`,
);
console.log(`notices of ${parts.length} parts`);
