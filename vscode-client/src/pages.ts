import * as vscode from "vscode";

const SCHEME = "sglint";
const KEPT = 32;

/** Markdown pages that come from the server, shown in the editor's own preview; nothing is fetched. */
export class Pages implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  readonly onDidChange = this.changed.event;

  async show(title: string, text: string): Promise<void> {
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title.replaceAll("/", " ")}.md` });
    this.texts.delete(uri.toString());
    this.texts.set(uri.toString(), text);
    for (const oldest of [...this.texts.keys()].slice(0, -KEPT)) {
      this.texts.delete(oldest);
    }
    this.changed.fire(uri);
    await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "This page is gone; ask for it again.";
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}
