import assert from "node:assert/strict";
import { test } from "node:test";
import { choose, type Machine, type Wishes } from "../src/choice";

const WISHES: Wishes = { trusted: true, path: [], interpreter: [], importStrategy: "fromEnvironment" };

function machine(parts: Partial<Machine> & { versions?: Record<string, readonly [number, number]> }): Machine & { lines: string[] } {
  const lines: string[] = [];
  return {
    executable: () => false,
    onPath: (program) => (program === "python3" ? "/usr/bin/python3" : undefined),
    pythonVersion: async (interpreter) => (parts.versions ?? { "/usr/bin/python3": [3, 11] as const })[interpreter],
    hasSglint: async () => false,
    selectedInterpreter: async () => undefined,
    bundled: "/ext/bundled/run.py",
    log: (line) => lines.push(line),
    lines,
    ...parts,
  };
}

test("an executable of sglint.path wins, and a missing one is passed over with a word", async () => {
  const here = machine({ executable: (file) => file === "/opt/sglint", hasSglint: async () => true });
  const server = await choose({ ...WISHES, path: ["/gone", "/opt/sglint"] }, here);
  assert.deepEqual(server, { kind: "path", command: "/opt/sglint", args: ["lsp"] });
  assert.match(here.lines[0] ?? "", /\/gone/);
});

test("the environment's own sglint comes before the bundled one", async () => {
  const here = machine({
    selectedInterpreter: async () => "/venv/bin/python",
    versions: { "/venv/bin/python": [3, 12] },
    hasSglint: async (interpreter) => interpreter === "/venv/bin/python",
  });
  assert.deepEqual(await choose(WISHES, here), { kind: "environment", command: "/venv/bin/python", args: ["-m", "sglint", "lsp"] });
});

test("sglint on the path is next", async () => {
  const here = machine({ onPath: (program) => `/usr/bin/${program}` });
  assert.equal((await choose(WISHES, here)).command, "/usr/bin/sglint");
});

test("else the bundled server runs, isolated from the user's modules", async () => {
  const server = await choose(WISHES, machine({}));
  assert.deepEqual(server, { kind: "bundled", command: "/usr/bin/python3", args: ["-I", "/ext/bundled/run.py", "lsp"] });
});

test("useBundled asks no environment", async () => {
  const here = machine({ hasSglint: async () => assert.fail("was asked") });
  assert.equal((await choose({ ...WISHES, importStrategy: "useBundled" }, here)).kind, "bundled");
});

test("in an untrusted workspace neither its settings nor its environment count", async () => {
  const here = machine({
    executable: () => true,
    hasSglint: async () => true,
    selectedInterpreter: async () => "/workspace/.venv/bin/python",
  });
  const server = await choose({ ...WISHES, trusted: false, path: ["/workspace/evil"], interpreter: ["/workspace/python"] }, here);
  assert.deepEqual([server.kind, server.command], ["bundled", "/usr/bin/python3"]);
});

test("an interpreter that is too old is passed over", async () => {
  const here = machine({ versions: { "/old": [3, 9], "/usr/bin/python3": [3, 10] } });
  assert.equal((await choose({ ...WISHES, interpreter: ["/old"] }, here)).command, "/usr/bin/python3");
  assert.ok(here.lines.some((line) => line.includes("3.9")));
});

test("without any interpreter the message gives the remedy", async () => {
  await assert.rejects(choose(WISHES, machine({ versions: {} })), /Python 3\.10 or newer/);
});
