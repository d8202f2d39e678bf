import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";
import type { Machine, Wishes } from "./choice";

const PROBE_TIMEOUT_MS = 10_000;

/** What the settings ask for, with `~` and `${workspaceFolder}` replaced. */
export function wishes(): Wishes {
  const settings = vscode.workspace.getConfiguration("sglint");
  return {
    trusted: vscode.workspace.isTrusted,
    path: settings.get<string[]>("path", []).map(expanded),
    interpreter: settings.get<string[]>("interpreter", []).map(expanded),
    importStrategy: settings.get<Wishes["importStrategy"]>("importStrategy", "fromEnvironment"),
  };
}

/** The machine the extension runs on. `home` is the extension's folder; programs run there, never in the workspace. */
export function thisMachine(home: string, log: (line: string) => void): Machine {
  return {
    executable,
    onPath,
    pythonVersion: async (interpreter) => {
      const out = await output(interpreter, ["-I", "-c", "import sys; print(*sys.version_info[:2])"], home);
      const [major, minor] = (out ?? "").trim().split(" ").map(Number);
      return major === undefined || minor === undefined || Number.isNaN(minor) ? undefined : [major, minor];
    },
    hasSglint: async (interpreter) => {
      const probe = "from importlib.util import find_spec as f; print(bool(f('sglint') and f('sglint.lsp')))";
      return (await output(interpreter, ["-c", probe], home))?.trim() === "True";
    },
    selectedInterpreter,
    bundled: path.join(home, "bundled", "run.py"),
    log,
  };
}

function expanded(text: string): string {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const home = text === "~" || text.startsWith("~/") ? homedir() + text.slice(1) : text;
  return home.replaceAll("${workspaceFolder}", folder);
}

function executable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function onPath(program: string): string | undefined {
  const names = process.platform === "win32" ? [`${program}.exe`] : [program];
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  return folders.flatMap((folder) => names.map((name) => path.join(folder, name))).find(executable);
}

function output(command: string, args: string[], cwd: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, args, { cwd, timeout: PROBE_TIMEOUT_MS }, (error, stdout) => resolve(error ? undefined : stdout));
  });
}

interface PythonExtension {
  environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(environment: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
  };
}

async function selectedInterpreter(): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  if (extension === undefined) {
    return undefined;
  }
  try {
    const { environments } = await extension.activate();
    const active = environments.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
    return (await environments.resolveEnvironment(active))?.executable.uri?.fsPath;
  } catch {
    return undefined;
  }
}
