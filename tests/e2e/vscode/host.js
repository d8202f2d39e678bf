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

async function actions(document, range, kind) {
  return vscode.commands.executeCommand("vscode.executeCodeActionProvider", document.uri, range, kind, 20);
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
    const hovers = await vscode.commands.executeCommand("vscode.executeHoverProvider", document.uri, range.start);
    const text = hovers.flatMap(({ contents }) => contents.map((part) => part.value ?? part)).join("\n");
    assert.match(text, /SGL101/);
    assert.match(text, /\| pool \| tokens \|/);
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
  async "typing moves the mark and breaking the text leaves no stale one"() {
    const document = await open("chat.sh");
    const { range } = await conflict(document);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), "# \u{1F680} one line more\n");
    await vscode.workspace.applyEdit(edit);
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
    assert.deepEqual(names, ["chat.sh", "chat.yaml", "closed.yaml", "safe.sh"]);
  },
  async "a file without a launch says why"() {
    await open("plain.yaml");
    assert.match(await vscode.commands.executeCommand("sglint.whyNothing"), /does not mention sglang/);
  },
  async "rule pages open as previews"() {
    await vscode.commands.executeCommand("sglint.explainRule", "SGL101");
    await until("the page", () => vscode.workspace.textDocuments.some(({ uri }) => uri.scheme === "sglint"));
    const page = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === "sglint");
    assert.match(page.getText(), /^# SGL101/);
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
