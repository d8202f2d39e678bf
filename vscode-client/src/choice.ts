/** Which server to run. Knows no editor: the caller supplies what can be asked of the machine. */

export interface Wishes {
  trusted: boolean;
  path: readonly string[];
  interpreter: readonly string[];
  importStrategy: "fromEnvironment" | "useBundled";
}

export interface Machine {
  /** Whether a file exists and can be run. */
  executable(file: string): boolean;
  /** Where a program is on the path; undefined when it is not. */
  onPath(program: string): string | undefined;
  /** `[major, minor]` of an interpreter; undefined when it cannot be run. */
  pythonVersion(interpreter: string): Promise<readonly [number, number] | undefined>;
  /** Whether `interpreter -m sglint` would run. */
  hasSglint(interpreter: string): Promise<boolean>;
  /** The interpreter the Python extension has selected. */
  selectedInterpreter(): Promise<string | undefined>;
  /** The script that runs the server which came with the extension. */
  readonly bundled: string;
  log(line: string): void;
}

export interface Server {
  kind: "path" | "environment" | "bundled";
  command: string;
  args: string[];
}

export const OLDEST: readonly [number, number] = [3, 10];

/** The server to start, tried in this order: `sglint.path`, the environment, the bundled one. Throws with a remedy. */
export async function choose(wishes: Wishes, machine: Machine): Promise<Server> {
  if (!wishes.trusted) {
    machine.log("The workspace is not trusted: only the bundled server and a Python from the path are used.");
    return bundled(await interpreterFor({ ...wishes, interpreter: [] }, machine), machine);
  }
  for (const file of wishes.path) {
    if (machine.executable(file)) {
      machine.log(`Using ${file} from sglint.path.`);
      return { kind: "path", command: file, args: ["lsp"] };
    }
    machine.log(`sglint.path: ${file} is no executable file; trying the next one.`);
  }
  const interpreter = await interpreterFor(wishes, machine);
  if (wishes.importStrategy === "useBundled") {
    machine.log("sglint.importStrategy is useBundled.");
    return bundled(interpreter, machine);
  }
  if (interpreter !== undefined && (await machine.hasSglint(interpreter))) {
    machine.log(`Using the sglint of ${interpreter}.`);
    return { kind: "environment", command: interpreter, args: ["-m", "sglint", "lsp"] };
  }
  machine.log(`No sglint in the environment of ${interpreter ?? "any interpreter"}.`);
  const found = machine.onPath("sglint");
  if (found !== undefined) {
    machine.log(`Using ${found} from the path.`);
    return { kind: "environment", command: found, args: ["lsp"] };
  }
  return bundled(interpreter, machine);
}

async function interpreterFor(wishes: Wishes, machine: Machine): Promise<string | undefined> {
  const selected = wishes.trusted ? await machine.selectedInterpreter() : undefined;
  const candidates = [
    ...wishes.interpreter.map((file) => [file, "sglint.interpreter"] as const),
    [selected, "the Python extension"] as const,
    [machine.onPath("python3"), "the path"] as const,
    [machine.onPath("python"), "the path"] as const,
  ];
  for (const [file, origin] of candidates) {
    if (file === undefined) {
      continue;
    }
    const version = await machine.pythonVersion(file);
    if (version === undefined) {
      machine.log(`Interpreter ${file} (${origin}) cannot be run.`);
    } else if (version[0] < OLDEST[0] || (version[0] === OLDEST[0] && version[1] < OLDEST[1])) {
      machine.log(`Interpreter ${file} (${origin}) is Python ${version.join(".")}, older than ${OLDEST.join(".")}.`);
    } else {
      machine.log(`Interpreter ${file} (${origin}), Python ${version.join(".")}.`);
      return file;
    }
  }
  return undefined;
}

function bundled(interpreter: string | undefined, machine: Machine): Server {
  if (interpreter === undefined) {
    throw new Error(`SGLint needs Python ${OLDEST.join(".")} or newer: install one, or name it in sglint.interpreter.`);
  }
  machine.log("Using the server that comes with the extension.");
  // Isolated: a module of the workspace or of the user must not stand in for one of ours.
  return { kind: "bundled", command: interpreter, args: ["-I", machine.bundled, "lsp"] };
}
