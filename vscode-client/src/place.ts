import * as vscode from "vscode";
import { isRead } from "./session";

/** The active editor when its text is of a language the server reads. */
export function activeEditor(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  return editor !== undefined && isRead(editor.document) ? editor : undefined;
}

/** What a request about the place of the cursor needs. */
export function at(editor: vscode.TextEditor): { uri: string; position: vscode.Position } {
  return { uri: editor.document.uri.toString(), position: editor.selection.active };
}
