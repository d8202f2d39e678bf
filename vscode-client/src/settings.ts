import * as vscode from "vscode";

const SERVER_KEYS = {
  release: "release",
  gpu: "gpu",
  model: "model",
  draft: "draft",
  targetReleases: "target-releases",
  select: "select",
  ignore: "ignore",
  inlayHints: "inlay-hints",
} as const;

/** The settings the server knows, under its own names; what is empty is left to the configuration file. */
export function serverSettings(): Record<string, unknown> {
  const settings = vscode.workspace.getConfiguration("sglint");
  const given: Record<string, unknown> = {};
  for (const [key, name] of Object.entries(SERVER_KEYS)) {
    const value = settings.get<string | string[] | Record<string, boolean>>(key);
    if (value !== undefined && Object.keys(value).length > 0) {
      given[name] = value;
    }
  }
  return given;
}
