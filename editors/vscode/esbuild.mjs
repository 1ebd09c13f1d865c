// Bundles the extension into dist/extension.js (VS Code loads one CommonJS file), and with --tests
// each test into dist-test/, where node's own test runner finds it.
import { build } from "esbuild";
import { readdirSync, rmSync } from "node:fs";

const common = {
  bundle: true,
  platform: "node",
  target: "node20",
  format: "cjs",
  logLevel: "warning",
  sourcemap: true,
};

if (process.argv.includes("--tests")) {
  rmSync("dist-test", { recursive: true, force: true });
  const entries = ["unit", "editor"].flatMap((folder) =>
    readdirSync(`test/${folder}`)
      .filter((name) => /\.(test|main)\.ts$/.test(name))
      .map((name) => `test/${folder}/${name}`),
  );
  await build({
    ...common,
    entryPoints: entries,
    outdir: "dist-test",
    outbase: "test",
    sourcemap: "inline",
    external: ["playwright-core"],
  });
} else {
  await build({
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: "dist/extension.js",
    external: ["vscode"],
    minify: process.argv.includes("--minify"),
  });
}
