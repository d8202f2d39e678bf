import * as path from "node:path";
import * as vscode from "vscode";
import type { FileLaunches, Launch } from "./protocol";
import { isRead, type Session } from "./session";
import { launchDetails, launchText, verdictText } from "./wording";

const ENDS = ["yaml", "yml", "sh", "bash", "slurm", "sbatch", "service", "dockerfile", "mk", "just", "py"];
const NAMES = ["Dockerfile", "Dockerfile.*", "Containerfile", "Makefile", "justfile"];
const PATTERN = `**/{${[...ENDS.map((end) => `*.${end}`), ...NAMES].join(",")}}`;
const EXCLUDED = "**/{node_modules,.git,.venv,venv}/**";
const MOST_FILES = 20_000;
const AT_ONCE = 50;
const PAUSE_MS = 500;
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
  private readonly listener: vscode.Disposable;
  private files: Promise<FileLaunches[]> | undefined;
  private pending: NodeJS.Timeout | undefined;
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly session: Session) {
    this.view = vscode.window.createTreeView<Node>("sglint.launches", { treeDataProvider: this, showCollapseAll: true });
    this.listener = session.onDidChange(() => this.followSoon());
  }

  /** How many launches are refused, as the view's badge shows it. */
  get refused(): number {
    return this.view.badge?.value ?? 0;
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
    clearTimeout(this.pending);
    this.listener.dispose();
    this.view.dispose();
    this.changed.dispose();
  }

  private followSoon(): void {
    clearTimeout(this.pending);
    if (this.files !== undefined && this.view.visible) {
      this.pending = setTimeout(() => void this.follow(), PAUSE_MS);
    }
  }

  /** Ask again for the files that are open: only they change without a scan. */
  private async follow(): Promise<void> {
    const uris = vscode.workspace.textDocuments.filter(isRead).map(({ uri }) => uri.toString());
    const before = (await this.files) ?? [];
    const now = (await this.session.ask<FileLaunches[]>("launches", { uris })) ?? [];
    const after = sorted([...before.filter(({ uri }) => !uris.includes(uri)), ...now]);
    if (JSON.stringify(after) !== JSON.stringify(before)) {
      this.files = Promise.resolve(after);
      this.told(after);
      this.changed.fire();
    }
  }

  private told(files: FileLaunches[]): void {
    const value = files.reduce((sum, file) => sum + refused(file), 0);
    this.view.badge = value === 0 ? undefined : { value, tooltip: `${value} refused` };
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
    this.told(found);
    return sorted(found);
  }
}

function sorted(files: FileLaunches[]): FileLaunches[] {
  return files.sort((one, other) => one.uri.localeCompare(other.uri));
}

function refused(file: FileLaunches): number {
  return file.launches.filter(({ verdict }) => verdict.status === "refused").length;
}

function fileItem(file: FileLaunches): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.Uri.parse(file.uri), vscode.TreeItemCollapsibleState.Expanded);
  const count = refused(file);
  const folder = path.posix.dirname(vscode.workspace.asRelativePath(vscode.Uri.parse(file.uri)));
  const said = count > 0 ? `${count} of ${file.launches.length} refused` : `${file.launches.length}`;
  item.description = folder === "." ? said : `${folder} \u00b7 ${said}`;
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
