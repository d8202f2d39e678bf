// Runs inside VS Code's extension host, against the real API. One line for each test goes to the page's log.
const assert = require("node:assert/strict");
const path = require("node:path");
const vscode = require("vscode");

const WAIT_MS = 30_000;
const EXTENSION = "sglint.sglint";

async function until(what, probe) {
  const end = Date.now() + WAIT_MS;
  for (;;) {
    const found = await probe();
    if (found) {
      return found;
    }
    if (Date.now() > end) {
      throw new Error(`waited in vain for ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const folder = () => vscode.workspace.workspaceFolders[0].uri.fsPath;
const exported = () => vscode.extensions.getExtension(EXTENSION).exports;

async function open(name) {
  const document = await vscode.workspace.openTextDocument(path.join(folder(), name));
  await vscode.window.showTextDocument(document);
  return document;
}

function found(document, code) {
  return vscode.languages
    .getDiagnostics(document.uri)
    .filter(({ code: at, source }) => source === "sglint" && (at?.value ?? at) === code);
}

const conflict = (document) => until("SGL101", () => found(document, "SGL101")[0]);
const gone = (document) => until("SGL101 to go", () => found(document, "SGL101").length === 0);

async function edited(document, change) {
  const edit = new vscode.WorkspaceEdit();
  change(edit);
  assert.ok(await vscode.workspace.applyEdit(edit));
}

async function actions(document, range, kind) {
  return vscode.commands.executeCommand("vscode.executeCodeActionProvider", document.uri, range, kind, 20);
}

async function hoverText(document, position) {
  const hovers = await vscode.commands.executeCommand("vscode.executeHoverProvider", document.uri, position);
  return hovers.flatMap(({ contents }) => contents.map((part) => part.value ?? part)).join("\n");
}

async function pageOf(title) {
  const isPage = ({ uri }) => uri.scheme === "sglint" && uri.path.includes(title);
  return (await until(`the page ${title}`, () => vscode.workspace.textDocuments.find(isPage))).getText();
}

const tests = {
  async "no server runs for files without sglang"() {
    await open("plain.yaml");
    await until("activation", () => vscode.extensions.getExtension(EXTENSION).isActive);
    assert.equal(exported().session.running, false);
  },
  async "the words of the conflict are marked, after an emoji too"() {
    for (const name of ["chat.yaml", "chat.sh"]) {
      const document = await open(name);
      const first = await conflict(document);
      assert.equal(document.getText(first.range), "--enable-unified-memory");
      assert.equal(first.severity, vscode.DiagnosticSeverity.Error);
      assert.ok(first.relatedInformation.length > 0);
    }
  },
  async "the bundled server was chosen"() {
    assert.equal(exported().session.server.kind, "bundled");
  },
  async "hover tells the rule and the sizes"() {
    const document = await open("chat.yaml");
    const { range } = await conflict(document);
    const text = await hoverText(document, range.start);
    assert.match(text, /SGL101/);
    assert.match(text, /\| pool \| tokens \|/);
  },
  async "hover does not repeat what the editor's list of diagnostics says there"() {
    const document = await open("chat.yaml");
    const { message, range } = await conflict(document);
    assert.ok(!(await hoverText(document, range.start)).includes(message.split("\n")[0]));
  },
  async "F8 goes from one problem to the next"() {
    const document = await open("chat.yaml");
    await conflict(document);
    const editor = vscode.window.activeTextEditor;
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await vscode.commands.executeCommand("editor.action.marker.next");
    const first = await until("a problem", () => editor.selection.active.line > 0 && editor.selection.active);
    assert.ok(vscode.languages.getDiagnostics(document.uri).some(({ range }) => range.contains(first)));
    await vscode.commands.executeCommand("closeMarkersNavigation");
  },
  async "hints say what memory makes of numbers, each can be turned off"() {
    const document = await open("sized.sh");
    const label = ({ label }) => (typeof label === "string" ? label : label.map(({ value }) => value).join(""));
    const whole = new vscode.Range(0, 0, document.lineCount, 0);
    const hints = async () =>
      (await vscode.commands.executeCommand("vscode.executeInlayHintProvider", document.uri, whole)).map(label);
    const has = (all, words) => all.some((each) => each.includes(words));
    await until("two hints", async () => {
      const all = await hints();
      return has(all, "for the pools") && has(all, "of weights on each GPU");
    });
    const settings = vscode.workspace.getConfiguration("sglint");
    await settings.update("inlayHints", { tp: false }, vscode.ConfigurationTarget.Workspace);
    await until("one hint", async () => {
      const all = await hints();
      return has(all, "for the pools") && !has(all, "of weights on each GPU");
    });
    await settings.update("inlayHints", undefined, vscode.ConfigurationTarget.Workspace);
  },
  async "launches in Python programs are marked"() {
    const document = await open("serve.py");
    const first = await conflict(document);
    assert.equal(document.getText(first.range).replaceAll('"', ""), "--enable-unified-memory");
  },
  async "each folder of the workspace has its settings"() {
    const document = await open("../two/chat.yaml");
    const { reason } = await exported().session.ask("status", { uri: document.uri.toString() });
    assert.match(reason, /Left out by settings: SGL101/);
    assert.deepEqual(found(document, "SGL101"), []);
    await conflict(await open("chat.yaml"));
  },
  async "symbols are the launches with their options"() {
    const document = await open("chat.yaml");
    const symbols = await vscode.commands.executeCommand("vscode.executeDocumentSymbolProvider", document.uri);
    const launch = await until("a launch", () => symbols.find(({ name }) => name.includes("gpt-oss-120b")));
    assert.ok(launch.children.some(({ name }) => name === "--enable-unified-memory"));
  },
  async "lenses give the verdict and open the panel"() {
    const document = await open("chat.yaml");
    const lenses = await vscode.commands.executeCommand("vscode.executeCodeLensProvider", document.uri, 10);
    const verdict = lenses.find(({ command }) => command?.command === "sglint.memoryPlan");
    assert.match(verdict.command.title, /refused at pool-init by SGL101/);
    const html = await vscode.commands.executeCommand("sglint.memoryPlan", ...verdict.command.arguments);
    assert.match(html, /max_total_num_tokens/);
    assert.match(html, /What each fix changes/);
  },
  async "a quick fix ends the conflict and changes nothing else"() {
    const document = await open("chat.yaml");
    const before = document.getText();
    const { range } = await conflict(document);
    const fix = (await actions(document, range, "quickfix")).find(({ title }) => /unified/i.test(title) && /SGL101/.test(title));
    assert.ok(await vscode.workspace.applyEdit(fix.edit));
    await gone(document);
    assert.equal(document.getText(), before.replace("            - --enable-unified-memory\n", ""));
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await conflict(document);
  },
  async "fix all applies the safe fixes"() {
    const document = await open("safe.sh");
    await until("a finding", () => vscode.languages.getDiagnostics(document.uri).length > 0);
    await vscode.commands.executeCommand("sglint.fixAll");
    await until("the long name", () => document.getText().includes("--attention-backend triton"));
    await vscode.commands.executeCommand("workbench.action.files.revert");
  },
  async "saving applies the safe fixes where the user wants it"() {
    const document = await open("safe.sh");
    const before = document.getText();
    const settings = vscode.workspace.getConfiguration("editor");
    await settings.update("codeActionsOnSave", { "source.fixAll.sglint": "explicit" }, vscode.ConfigurationTarget.Workspace);
    await edited(document, (edit) => edit.insert(document.uri, new vscode.Position(document.lineCount, 0), "# saved\n"));
    await document.save();
    await until("the long name", () => document.getText().includes("--attention-backend triton"));
    assert.ok(document.getText().endsWith("# saved\n"));
    await settings.update("codeActionsOnSave", undefined, vscode.ConfigurationTarget.Workspace);
    await edited(document, (edit) => edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), before));
    await document.save();
  },
  async "the panel follows what is typed"() {
    const document = await open("chat.yaml");
    await conflict(document);
    await vscode.commands.executeCommand("sglint.memoryPlan");
    const panel = exported().panel;
    await until("the refusal", () => panel.html.includes("refused at pool-init by SGL101"));
    const line = document.getText().split("\n").findIndex((text) => text.includes("--enable-unified-memory"));
    await edited(document, (edit) => edit.delete(document.uri, new vscode.Range(line, 0, line + 1, 0)));
    await until("a plan that starts", () => !panel.html.includes("SGL101") && panel.html.includes("max_total_num_tokens"));
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await until("the refusal again", () => panel.html.includes("refused at pool-init by SGL101"));
  },
  async "typing moves the mark and breaking the text leaves no stale one"() {
    const document = await open("chat.sh");
    const { range } = await conflict(document);
    await edited(document, (edit) => edit.insert(document.uri, new vscode.Position(0, 0), "# \u{1F680} one line more\n"));
    const moved = await until("the mark to move", () => found(document, "SGL101").find((item) => item.range.start.line === range.start.line + 1));
    assert.equal(document.getText(moved.range), "--enable-unified-memory");
    await vscode.commands.executeCommand("workbench.action.files.revert");
  },
  async "a setting holds at once"() {
    const document = await open("chat.yaml");
    await conflict(document);
    const settings = vscode.workspace.getConfiguration("sglint");
    await settings.update("ignore", ["SGL101"], vscode.ConfigurationTarget.Workspace);
    await gone(document);
    await settings.update("ignore", undefined, vscode.ConfigurationTarget.Workspace);
    await conflict(document);
  },
  async "a configuration file holds as soon as it is saved"() {
    const document = await open("chat.yaml");
    await conflict(document);
    const file = vscode.Uri.file(path.join(folder(), "sglint.toml"));
    await vscode.workspace.fs.writeFile(file, Buffer.from('ignore = ["SGL101"]\n'));
    await gone(document);
    await vscode.workspace.fs.delete(file);
    await conflict(document);
  },
  async "the status item names release, model and GPU"() {
    await open("chat.yaml");
    await until("the status", () => /SGLang 0\.5\.18 . gpt-oss-120b . h200/.test(exported().status.text));
  },
  async "launches of the whole workspace are listed"() {
    const files = await vscode.commands.executeCommand("sglint.showLaunches");
    const names = files.map(({ uri }) => path.posix.basename(uri));
    assert.deepEqual(names, ["chat.yaml", "chat.sh", "chat.yaml", "closed.yaml", "safe.sh", "serve.py", "sized.sh"]);
    const before = exported().tree.refused;
    assert.ok(before >= 4, `${before} refused`);
    const document = await open("chat.yaml");
    const text = document.getText();
    await edited(document, (edit) => edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text.replace(/.*--enable-unified-memory\n/, "")));
    await until("one refused less", () => exported().tree.refused === before - 1);
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await until("as many again", () => exported().tree.refused === before);
  },
  async "another release is compared"() {
    const document = await open("chat.yaml");
    vscode.window.activeTextEditor.selection = new vscode.Selection(13, 30, 13, 30);
    await conflict(document);
    await vscode.commands.executeCommand("sglint.checkRelease", "0.5.23");
    assert.match(await pageOf("SGLang 0.5.23"), /0\.5\.23/);
  },
  async "mistakes in the configuration file are marked while it is typed"() {
    const file = vscode.Uri.file(path.join(folder(), "sglint.toml"));
    await vscode.workspace.fs.writeFile(file, Buffer.from('relase = "0.5.18"\n'));
    const document = await open("sglint.toml");
    const wrong = await until("the mistake", () => vscode.languages.getDiagnostics(document.uri)[0]);
    assert.match(wrong.message, /relase/);
    await vscode.workspace.fs.delete(file);
    await conflict(await open("chat.yaml"));
  },
  async "an example to try things on is refused"() {
    await vscode.commands.executeCommand("sglint.openExample");
    const { document } = vscode.window.activeTextEditor;
    assert.equal(document.isUntitled, true);
    await conflict(document);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  },
  async "a file without a launch says why"() {
    await open("plain.yaml");
    assert.match(await vscode.commands.executeCommand("sglint.whyNothing"), /does not mention sglang/);
  },
  async "rule pages open as previews"() {
    await vscode.commands.executeCommand("sglint.explainRule", "SGL101");
    assert.match(await pageOf("SGL101"), /^# SGL101/);
  },
  async "debug information names server and versions"() {
    const info = JSON.parse(await vscode.commands.executeCommand("sglint.copyDebugInfo"));
    assert.equal(info.server.kind, "bundled");
    assert.match(info.serverVersion, /^\d/);
  },
  async "after a restart the findings are there again"() {
    const document = await open("chat.sh");
    await conflict(document);
    await vscode.commands.executeCommand("sglint.restart");
    await conflict(document);
    assert.equal(exported().session.running, true);
  },
  async "a server named by its path takes over at once"() {
    const document = await open("chat.sh");
    const settings = vscode.workspace.getConfiguration("sglint");
    await settings.update("path", ["/gone/sglint", process.env.E2E_SGLINT], vscode.ConfigurationTarget.Global);
    const server = await until("that server", () => exported().session.running && exported().session.server?.kind === "path" && exported().session.server);
    assert.deepEqual([server.command, server.args], [process.env.E2E_SGLINT, ["lsp"]]);
    await conflict(document);
    await settings.update("path", undefined, vscode.ConfigurationTarget.Global);
    await until("the bundled server", () => exported().session.running && exported().session.server?.kind === "bundled");
    await conflict(document);
  },
  async "every command has a name in the palette, and each is there"() {
    const { commands } = vscode.extensions.getExtension(EXTENSION).packageJSON.contributes;
    const there = new Set(await vscode.commands.getCommands());
    assert.deepEqual(commands.filter(({ command, title }) => !there.has(command) || !title), []);
  },
};

async function run() {
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test();
      console.log(`PASS ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAIL ${name}: ${error.stack ?? error}`);
    }
  }
  console.log(`DONE ${Object.keys(tests).length} tests, ${failed} failed`);
  if (failed > 0) {
    throw new Error(`${failed} failed`);
  }
}

module.exports = { run };
