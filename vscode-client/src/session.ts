import * as vscode from "vscode";
import { LanguageClient, RevealOutputChannelOn, type LanguageClientOptions, type StaticFeature } from "vscode-languageclient/node";
import { choose, type Server } from "./choice";
import { thisMachine, wishes } from "./machine";
import { serverSettings } from "./settings";

const LANGUAGES = [
  "yaml",
  "shellscript",
  "dockerfile",
  "helm",
  "helm-values",
  "dockercompose",
  "makefile",
  "just",
  "python",
];
/** What the editor may have no language for. */
const PATTERNS = ["**/*.{service,slurm,sbatch,just,mk}", "**/{sglint.toml,.sglint.toml,pyproject.toml}"];
const SELECTOR = ["file", "untitled"].flatMap((scheme) => [
  ...LANGUAGES.map((language) => ({ scheme, language })),
  ...PATTERNS.map((pattern) => ({ scheme, pattern })),
]);
const WORTH_STARTING = /sglang|sglint/i;
const NEEDS_RESTART = ["sglint.path", "sglint.interpreter", "sglint.importStrategy"];

/** Hovers hold the editor's own list of diagnostics, so the server need not repeat their messages there. */
const SHOWS_DIAGNOSTICS: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    capabilities.experimental = { ...(capabilities.experimental as object | undefined), hoverShowsDiagnostics: true };
  },
  initialize: () => undefined,
  getState: () => ({ kind: "static" }),
  clear: () => undefined,
};

/** Whether the server reads a text. */
export function isRead(document: vscode.TextDocument): boolean {
  return vscode.languages.match(SELECTOR, document) > 0;
}

/** The server's life: started by the first file that mentions SGLang, restarted when what chose it changes. */
export class Session implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private starting: Promise<void> | undefined;
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly listeners: vscode.Disposable[] = [];
  server: Server | undefined;
  failure: string | undefined;

  /** Fires when the server has started, stopped, or may answer differently than before. */
  readonly onDidChange = this.changed.event;

  constructor(
    private readonly home: string,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.listeners.push(
      vscode.workspace.onDidOpenTextDocument((document) => this.startFor(document)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.startFor(document)),
      vscode.workspace.onDidChangeConfiguration((event) => this.reconfigure(event)),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.client && this.restart()),
      vscode.languages.onDidChangeDiagnostics(() => this.client && this.changed.fire()),
    );
    vscode.workspace.textDocuments.forEach((document) => this.startFor(document));
  }

  get running(): boolean {
    return this.client !== undefined;
  }

  /** Start unless started. Resolves also when starting failed; the log and the status item say why. */
  start(): Promise<void> {
    this.starting ??= this.startNow();
    return this.starting;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Ask the server; undefined when it does not run or has no answer. */
  async ask<Answer>(method: string, params: object): Promise<Answer | undefined> {
    await this.starting;
    try {
      return (await this.client?.sendRequest<Answer | null>(`sglint/${method}`, params)) ?? undefined;
    } catch (error) {
      this.log.error(`sglint/${method}: ${String(error)}`);
      return undefined;
    }
  }

  dispose(): void {
    this.listeners.forEach((listener) => listener.dispose());
    this.changed.dispose();
  }

  async stop(): Promise<void> {
    await this.starting?.catch(() => undefined);
    const client = this.client;
    this.client = this.starting = this.server = this.failure = undefined;
    await client?.dispose();
  }

  private startFor(document: vscode.TextDocument): void {
    if (this.starting === undefined && isRead(document) && WORTH_STARTING.test(document.fileName + document.getText())) {
      this.log.info(`Starting for ${document.uri.fsPath}.`);
      void this.start();
    }
  }

  private async startNow(): Promise<void> {
    try {
      this.server = await choose(wishes(), thisMachine(this.home, (line) => this.log.info(line)));
      this.log.info(`Server: ${[this.server.command, ...this.server.args].join(" ")}`);
      const client = this.newClient(this.server);
      await client.start();
      this.client = client;
      this.log.info(`Server ${client.initializeResult?.serverInfo?.version ?? "of unknown version"} is running.`);
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
      this.log.error(this.failure);
      void vscode.window.showErrorMessage(`SGLint did not start: ${this.failure}`, "Show Log").then((chosen) => chosen && this.log.show());
    }
    this.changed.fire();
  }

  private newClient(server: Server): LanguageClient {
    const options: LanguageClientOptions = {
      documentSelector: SELECTOR,
      initializationOptions: serverSettings(),
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
    };
    const run = { command: server.command, args: server.args, options: { cwd: this.home } };
    const client = new LanguageClient("sglint", "SGLint", run, options);
    // Its commands are for clients without views of their own; here the same names open panels and pages.
    const commands = client.getFeature("workspace/executeCommand");
    commands.initialize = () => undefined;
    client.registerFeature(SHOWS_DIAGNOSTICS);
    return client;
  }

  private reconfigure(event: vscode.ConfigurationChangeEvent): void {
    if (this.client === undefined && this.failure === undefined) {
      return;
    }
    if (NEEDS_RESTART.some((key) => event.affectsConfiguration(key))) {
      void this.restart();
    } else if (event.affectsConfiguration("sglint")) {
      const settings = { sglint: serverSettings() };
      void this.client?.sendNotification("workspace/didChangeConfiguration", { settings }).then(() => this.changed.fire());
    }
  }
}
