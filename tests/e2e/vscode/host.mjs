// Opens the workbench so that it runs host.js in its extension host; prints what the tests log.
import { PORT, address, withPage } from "./browser.mjs";

const remote = (file) => `vscode-remote://127.0.0.1:${PORT}${file}`;
const payload = JSON.stringify([
  ["extensionDevelopmentPath", remote(process.env.E2E_EXTENSION)],
  ["extensionTestsPath", remote(process.env.E2E_TESTS)],
]);

const code = await withPage(async (page) => {
  let finish;
  const finished = new Promise((resolve) => (finish = resolve));
  await page.exposeFunction("codeAutomationLog", (_type, args) => console.log(args.join(" ")));
  await page.exposeFunction("codeAutomationExit", finish);
  await page.goto(address({ payload }));
  const late = new Promise((resolve) => setTimeout(() => resolve("no answer in time"), 240_000).unref());
  return Promise.race([finished, late]);
});
if (code !== 0) {
  console.log(`ENDED ${code}`);
}
process.exit(code === 0 ? 0 : 1);
