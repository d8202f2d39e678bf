import * as vscode from "vscode";
import type { FileLaunches, Launch } from "./protocol";
import type { Session } from "./session";
import { launchDetails, launchText, verdictText } from "./wording";

const PATTERN = "**/*.{yaml,yml,sh,bash,slurm,sbatch,service,dockerfile,Dockerfile}";
const EXCLUDED = "**/{node_modules,.git,.venv,venv}/**";
const MOST_FILES = 5000;
const AT_ONCE = 50;
const ICONS: Record<Launch["verdict"]["status"], vscode.ThemeIcon> = {
  refused: new vscode.ThemeIcon("error", new vscode.ThemeColor("testing.iconFailed")),
  accepted: new vscode.ThemeIcon("pass", new vscode.ThemeColor("testing.iconPassed")),
  unknown: new vscode.ThemeIcon("question"),
};

type Node = FileLaunches | { file: FileLaunches; launch: Launch };

/** All launches of the workspace with their verdicts, by file. Scans when it is first shown and when asked to. */
export class LaunchTree implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly view: vscode.TreeView<Node>;
  private files: Promise<FileLaunches[]> | undefined;
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly session: Session) {
    this.view = vscode.window.createTreeView<Node>("sglint.launches", { treeDataProvider: this, showCollapseAll: true });
  }

  refresh(): void {
    this.files = undefined;
    this.changed.fire();
  }

  /** Scan again and bring the view to front. */
  async show(): Promise<FileLaunches[]> {
    this.refresh();
    await vscode.commands.executeCommand("sglint.launches.focus");
    return this.scanned();
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return "launch" in node ? launchItem(node.file.uri, node.launch) : fileItem(node);
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node === undefined) {
      return this.scanned();
    }
    return "launch" in node ? [] : node.launches.map((launch) => ({ file: node, launch }));
  }

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }

  private scanned(): Promise<FileLaunches[]> {
    this.files ??= Promise.resolve(vscode.window.withProgress({ location: { viewId: "sglint.launches" } }, () => this.scan()));
    return this.files;
  }

  private async scan(): Promise<FileLaunches[]> {
    const uris = await vscode.workspace.findFiles(PATTERN, EXCLUDED, MOST_FILES);
    if (uris.length === 0) {
      return [];
    }
    await this.session.start();
    const found: FileLaunches[] = [];
    for (let first = 0; first < uris.length; first += AT_ONCE) {
      const some = uris.slice(first, first + AT_ONCE).map((uri) => uri.toString());
      found.push(...((await this.session.ask<FileLaunches[]>("launches", { uris: some })) ?? []));
    }
    this.view.message = uris.length === MOST_FILES ? `Only the first ${MOST_FILES} files were looked at.` : "";
    return found.sort((one, other) => one.uri.localeCompare(other.uri));
  }
}

function fileItem(file: FileLaunches): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.Uri.parse(file.uri), vscode.TreeItemCollapsibleState.Expanded);
  const refused = file.launches.filter(({ verdict }) => verdict.status === "refused").length;
  item.description = refused > 0 ? `${refused} of ${file.launches.length} refused` : `${file.launches.length}`;
  item.iconPath = vscode.ThemeIcon.File;
  return item;
}

function launchItem(uri: string, launch: Launch): vscode.TreeItem {
  const item = new vscode.TreeItem(launch.title);
  item.description = `${launchText(launch)}: ${verdictText(launch.verdict)}`;
  item.tooltip = new vscode.MarkdownString(launchDetails(launch));
  item.iconPath = ICONS[launch.verdict.status];
  const { start } = launch.range;
  const selection = new vscode.Range(start.line, start.character, start.line, start.character);
  item.command = { command: "vscode.open", title: "Open", arguments: [vscode.Uri.parse(uri), { selection }] };
  return item;
}
