// Bundles the extension into one file; with --tests the unit tests of the modules that need no editor.
import { build } from "esbuild";
import { readdirSync } from "node:fs";

const shared = { bundle: true, platform: "node", format: "cjs", target: "node20", logLevel: "warning" };

if (process.argv.includes("--tests")) {
  const entryPoints = readdirSync("test").filter((name) => name.endsWith(".test.ts")).map((name) => `test/${name}`);
  await build({ ...shared, entryPoints, outdir: "dist/test" });
} else {
  await build({ ...shared, entryPoints: ["src/extension.ts"], outfile: "dist/extension.js", external: ["vscode"], minify: true });
}
