import * as vscode from "vscode";
import * as commands from "./commands";
import { LaunchTree } from "./launchTree";
import { MemoryPanel } from "./memoryPanel";
import { Pages } from "./pages";
import { Session } from "./session";
import { StatusItem } from "./statusItem";

let session: Session | undefined;

/** What other extensions, and the tests, can see. */
export interface Exports {
  session: Session;
  status: StatusItem;
  tree: LaunchTree;
  panel: MemoryPanel;
}

export function activate(context: vscode.ExtensionContext): Exports {
  const log = vscode.window.createOutputChannel("SGLint", { log: true });
  const running = (session = new Session(context.extensionPath, log));
  const pages = new Pages();
  const status = new StatusItem(running);
  const panel = new MemoryPanel(running);
  const tree = new LaunchTree(running);
  const version = String(context.extension.packageJSON.version);
  const handlers: Record<string, (...args: never[]) => unknown> = {
    "sglint.memoryPlan": (uri?: string, launch?: number) => panel.show(uri, launch),
    "sglint.showLaunches": () => tree.show(),
    "sglint.refreshLaunches": () => tree.refresh(),
    "sglint.explainRule": (code?: string) => commands.explainRule(running, pages, code),
    "sglint.checkRelease": (release?: string) => commands.checkRelease(running, pages, release),
    "sglint.whatChanges": (uri: string, launch: number, release: string) => commands.whatChanges(running, pages, uri, launch, release),
    "sglint.fixAll": () => commands.fixAll(),
    "sglint.openExample": () => commands.openExample(),
    "sglint.gettingStarted": () => commands.gettingStarted(context.extension.id),
    "sglint.configure": () => commands.configure(running),
    "sglint.whyNothing": () => commands.whyNothing(running),
    "sglint.restart": () => running.restart(),
    "sglint.showLog": () => log.show(),
    "sglint.copyDebugInfo": () => commands.copyDebugInfo(running, version),
  };
  const registered = Object.entries(handlers).map(([name, handler]) => vscode.commands.registerCommand(name, handler));
  context.subscriptions.push(log, running, pages, status, panel, tree, ...registered);
  return { session: running, status, tree, panel };
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}
