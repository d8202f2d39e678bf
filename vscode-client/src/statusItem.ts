import * as vscode from "vscode";
import { activeEditor, at } from "./place";
import type { Launch, Status } from "./protocol";
import type { Session } from "./session";
import { launchDetails, launchOf, launchText, verdictText } from "./wording";

const PAUSE_MS = 150;
const ICONS = { refused: "$(error)", accepted: "$(pass)", unknown: "$(question)" } as const;

/** Release, model and GPU of the launch at the cursor, and where each came from. */
export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("sglint.status", vscode.StatusBarAlignment.Right, 100);
  private readonly listeners: vscode.Disposable[];
  private pending: NodeJS.Timeout | undefined;
  private launch: Launch | undefined;

  constructor(private readonly session: Session) {
    this.item.name = "SGLint";
    this.item.command = "sglint.configure";
    const soon = () => this.updateSoon();
    this.listeners = [
      vscode.window.onDidChangeActiveTextEditor(soon),
      vscode.window.onDidChangeTextEditorSelection(soon),
      session.onDidChange(soon),
    ];
    soon();
  }

  get text(): string {
    return this.item.text;
  }

  dispose(): void {
    clearTimeout(this.pending);
    this.listeners.forEach((listener) => listener.dispose());
    this.item.dispose();
  }

  private updateSoon(): void {
    clearTimeout(this.pending);
    this.pending = setTimeout(() => void this.update(), PAUSE_MS);
  }

  private async update(): Promise<void> {
    const editor = activeEditor();
    this.launch = undefined;
    if (editor === undefined || (!this.session.running && this.session.failure === undefined)) {
      this.item.hide();
      this.tellMenus();
      return;
    }
    if (this.session.failure !== undefined) {
      this.set("$(warning) SGLint", `SGLint did not start: ${this.session.failure}`);
      return;
    }
    const status = await this.session.ask<Status>("status", at(editor));
    if (status !== undefined && editor === activeEditor()) {
      this.show(status);
    }
  }

  private show(status: Status): void {
    const launch = (this.launch = launchOf(status));
    this.tellMenus();
    if (launch === undefined) {
      this.set("$(circle-slash) SGLint", status.reason);
      return;
    }
    const tooltip = `${launchDetails(launch)}\n\n${status.reason}\n\nClick to set release, GPU or model.`;
    this.set(`${ICONS[launch.verdict.status]} ${launchText(launch)}`, tooltip);
    this.item.accessibilityInformation = { label: `SGLint: ${launchText(launch)}, ${verdictText(launch.verdict)}` };
  }

  /** Menus offer what needs a launch only where there is one. */
  private tellMenus(): void {
    void vscode.commands.executeCommand("setContext", "sglint.hasLaunch", this.launch !== undefined);
  }

  private set(text: string, tooltip: string): void {
    this.item.text = text;
    this.item.tooltip = new vscode.MarkdownString(tooltip);
    this.item.accessibilityInformation = undefined;
    this.item.show();
  }
}
