import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { emptyHtml, memoryHtml } from "./memoryHtml";
import { activeEditor, at } from "./place";
import type { MemoryPage } from "./protocol";
import type { Session } from "./session";

const PAUSE_MS = 200;

/** The memory plan of the launch at the cursor, kept up to date while one types. */
export class MemoryPanel implements vscode.Disposable {
  /** What the panel shows, or would show. */
  html = "";
  private panel: vscode.WebviewPanel | undefined;
  private asked: { uri: string; position?: vscode.Position; launch?: number } | undefined;
  private pending: NodeJS.Timeout | undefined;
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly session: Session) {
    const follow = () => this.follow();
    this.listeners = [
      vscode.window.onDidChangeTextEditorSelection(follow),
      vscode.workspace.onDidChangeTextDocument(({ document }) => document.uri.toString() === this.asked?.uri && this.updateSoon()),
      session.onDidChange(() => this.updateSoon()),
    ];
  }

  /** Open the panel for a launch of a file (a lens names one), else for the launch at the cursor. */
  async show(uri?: string, launch?: number): Promise<string> {
    const editor = activeEditor();
    this.asked = uri !== undefined && launch !== undefined ? { uri, launch } : editor && at(editor);
    if (this.panel === undefined) {
      const beside = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
      this.panel = vscode.window.createWebviewPanel("sglint.memory", "Memory Plan", beside, { enableScripts: false });
      this.panel.onDidDispose(() => (this.panel = undefined));
    } else {
      this.panel.reveal(undefined, true);
    }
    return this.update();
  }

  dispose(): void {
    clearTimeout(this.pending);
    this.listeners.forEach((listener) => listener.dispose());
    this.panel?.dispose();
  }

  private follow(): void {
    const editor = activeEditor();
    if (this.panel !== undefined && editor !== undefined) {
      this.asked = at(editor);
      this.updateSoon();
    }
  }

  private updateSoon(): void {
    clearTimeout(this.pending);
    if (this.panel !== undefined) {
      this.pending = setTimeout(() => void this.update(), PAUSE_MS);
    }
  }

  private async update(): Promise<string> {
    const page = this.asked && (await this.session.ask<MemoryPage>("memoryPlan", this.asked));
    const nonce = randomBytes(16).toString("base64");
    const html = (this.html = page ? memoryHtml(page, nonce) : emptyHtml("Put the cursor into a command that starts an SGLang server.", nonce));
    if (this.panel !== undefined) {
      this.panel.webview.html = html;
    }
    return html;
  }
}
