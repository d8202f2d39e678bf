import * as vscode from "vscode";
import { EXAMPLE } from "./example";
import type { Pages } from "./pages";
import { activeEditor, at } from "./place";
import type { Known, Status } from "./protocol";
import type { Session } from "./session";
import { evidenceText, launchOf, verdictText } from "./wording";

const CODE = /^SGL\d{3}$/;

/** Show the page of a rule: the named one, the one of the problem at the cursor, or one chosen from the list. */
export async function explainRule(session: Session, pages: Pages, named?: string): Promise<void> {
  const code = named ?? (await chosenRule(session));
  if (code !== undefined) {
    await show(pages, code, await session.ask<string>("rule", { code }));
  }
}

/** Say what another release makes of the launch at the cursor. */
export async function checkRelease(session: Session, pages: Pages, named?: string): Promise<void> {
  const editor = activeEditor();
  const status = editor && (await session.ask<Status>("status", at(editor)));
  if (editor === undefined || status === undefined || status.launch === null) {
    void vscode.window.showInformationMessage("Put the cursor into a command that starts an SGLang server.");
    return;
  }
  const known = named === undefined ? await session.ask<Known>("known", {}) : undefined;
  const release = named ?? (await vscode.window.showQuickPick(known?.releases ?? [], { placeHolder: "Release to check the launch against" }));
  if (release !== undefined) {
    await whatChanges(session, pages, editor.document.uri.toString(), status.launch, release);
  }
}

export async function whatChanges(session: Session, pages: Pages, uri: string, launch: number, release: string): Promise<void> {
  await show(pages, `SGLang ${release}`, await session.ask<string>("whatChanges", { uri, launch, release }));
}

/** Say in words what the server sees in the active file. */
export async function whyNothing(session: Session): Promise<string> {
  const editor = activeEditor();
  const text = editor === undefined ? "SGLint reads YAML, shell scripts and their relatives; open one." : await explained(session, editor);
  void vscode.window.showInformationMessage(text);
  return text;
}

export async function fixAll(): Promise<void> {
  const editor = activeEditor();
  if (editor === undefined) {
    return;
  }
  const whole = new vscode.Range(0, 0, editor.document.lineCount, 0);
  const kind = "source.fixAll.sglint";
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>("vscode.executeCodeActionProvider", editor.document.uri, whole, kind);
  const edit = actions.find((action) => action.kind?.value === kind)?.edit;
  if (edit === undefined) {
    void vscode.window.showInformationMessage("There is no safe fix to apply in this file.");
  } else {
    await vscode.workspace.applyEdit(edit);
  }
}

/** Ask for a release, GPU or model and write it into the settings of the workspace. */
export async function configure(session: Session): Promise<void> {
  await session.start();
  const known = await session.ask<Known>("known", {});
  const editor = activeEditor();
  const status = editor && (await session.ask<Status>("status", at(editor)));
  const launch = status && launchOf(status);
  const items = [
    { label: "$(versions) Set release", key: "release", description: evidenceText(launch?.release), values: known?.releases ?? [] },
    { label: "$(chip) Set GPU", key: "gpu", description: evidenceText(launch?.gpu), values: known?.gpus ?? [] },
    { label: "$(package) Set model", key: "model", description: evidenceText(launch?.model), values: [] },
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    placeHolder: "For launches that do not say it themselves",
  });
  if (chosen === undefined) {
    return;
  }
  const value =
    chosen.values.length > 0
      ? await vscode.window.showQuickPick(chosen.values, { placeHolder: `Value of sglint.${chosen.key}` })
      : await vscode.window.showInputBox({ prompt: "Model, as openai/gpt-oss-120b; empty to take it back" });
  if (value !== undefined) {
    const target = vscode.workspace.workspaceFolders ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
    await vscode.workspace.getConfiguration("sglint", editor?.document.uri).update(chosen.key, value || undefined, target);
  }
}

/** A launch that a release refuses, to try everything on. */
export async function openExample(): Promise<void> {
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: "yaml", content: EXAMPLE }));
}

export async function gettingStarted(extension: string): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.openWalkthrough", `${extension}#start`, false);
}

/** What a bug report needs, on the clipboard. No text of the user's files is in it. */
export async function copyDebugInfo(session: Session, extensionVersion: string): Promise<string> {
  const known = await session.ask<Known>("known", {});
  const info = {
    extension: extensionVersion,
    editor: vscode.version,
    platform: `${process.platform}-${process.arch}`,
    server: session.server ?? session.failure ?? "not started",
    serverVersion: known?.version ?? "not running",
    catalogue: known?.releases[0] ?? "not running",
    trusted: vscode.workspace.isTrusted,
    folders: vscode.workspace.workspaceFolders?.length ?? 0,
  };
  const text = JSON.stringify(info, undefined, 2);
  await vscode.env.clipboard.writeText(text);
  void vscode.window.showInformationMessage("Debug information is on the clipboard.");
  return text;
}

async function explained(session: Session, editor: vscode.TextEditor): Promise<string> {
  const status = await session.ask<Status>("status", at(editor));
  if (status === undefined) {
    return session.failure ?? "The server has not started: no open file mentions sglang.";
  }
  const launches = status.launches.map((launch) => `line ${launch.range.start.line + 1}: ${launch.title}, ${verdictText(launch.verdict)}`);
  return [status.reason, ...launches].join(" \u00b7 ");
}

async function chosenRule(session: Session): Promise<string | undefined> {
  const editor = activeEditor();
  const here = editor && vscode.languages.getDiagnostics(editor.document.uri).find(({ range, source }) => source === "sglint" && range.contains(editor.selection.active));
  const code = typeof here?.code === "object" ? here.code.value : here?.code;
  if (typeof code === "string" && CODE.test(code)) {
    return code;
  }
  await session.start();
  const rules = (await session.ask<Known>("known", {}))?.rules ?? [];
  const items = rules.map((rule) => ({ label: rule.code, description: rule.name, detail: rule.summary }));
  return (await vscode.window.showQuickPick(items, { placeHolder: "Rule to explain", matchOnDescription: true, matchOnDetail: true }))?.label;
}

async function show(pages: Pages, title: string, text: string | undefined): Promise<void> {
  if (text === undefined) {
    void vscode.window.showInformationMessage(`SGLint has nothing to say about ${title}.`);
  } else {
    await pages.show(title, text);
  }
}
