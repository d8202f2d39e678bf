// Does by mouse and keyboard what a user does, and keeps pictures of it. Prints what was seen as JSON.
import { address, withPage } from "./browser.mjs";

const SHOTS = process.env.E2E_SHOTS;
const WAIT = { timeout: 60_000 };

async function openFile(page, name) {
  await page.keyboard.press("Control+P");
  await page.waitForSelector(".quick-input-widget:visible", WAIT);
  await page.keyboard.type(name);
  await page.waitForSelector(`.quick-input-list .monaco-list-row:has-text("${name}")`, WAIT);
  await page.keyboard.press("Enter");
  await page.waitForSelector(`.tab.active:has-text("${name}")`, WAIT);
}

async function command(page, title) {
  await page.keyboard.press("F1");
  await page.waitForSelector(".quick-input-widget:visible", WAIT);
  await page.keyboard.type(title);
  await page.waitForSelector(`.quick-input-list .monaco-list-row:has-text("${title}")`, WAIT);
  await page.keyboard.press("Enter");
}

const texts = (page, selector) => page.$$eval(selector, (found) => found.map((element) => element.textContent));

const seen = await withPage(async (page) => {
  const seen = {};
  await page.goto(address());
  await page.waitForSelector(".explorer-folders-view .monaco-list-row", WAIT);
  await openFile(page, process.env.E2E_FILE);
  await page.waitForSelector(".squiggly-error", WAIT);
  await page.waitForSelector('.codelens-decoration:has-text("refused")', WAIT);
  await page.waitForSelector('.statusbar-item:has-text("SGLang 0.5.18")', WAIT);
  seen.status = (await texts(page, '.statusbar-item:has-text("SGLang 0.5.18")'))[0];
  seen.lenses = await texts(page, ".codelens-decoration");
  await page.screenshot({ path: `${SHOTS}/squiggle.png` });
  if (process.env.E2E_ONLY_LOOK) {
    seen.restricted = (await page.$$('.statusbar-item:has-text("Restricted Mode")')).length > 0;
    return seen;
  }

  const words = '.view-line:has-text("--enable-unified-memory") span:has-text("--enable-unified-memory") >> nth=-1';
  await page.click(words);
  await page.keyboard.press("Control+K");
  await page.keyboard.press("Control+I");
  await page.waitForSelector('.monaco-hover:visible:has-text("SGL101")', WAIT);
  await page.screenshot({ path: `${SHOTS}/hover.png` });
  seen.hover = (await texts(page, ".monaco-hover:visible")).join("\n");
  await page.keyboard.press("Escape");

  await page.keyboard.press("Control+.");
  await page.waitForSelector(".action-widget .monaco-list-row", WAIT);
  seen.fixes = await texts(page, ".action-widget .monaco-list-row .title");
  await page.screenshot({ path: `${SHOTS}/quick-fix.png` });
  await page.keyboard.press("Escape");

  await command(page, "SGLint: Show Memory Plan");
  const panel = page.frameLocator("iframe.webview.ready").frameLocator("#active-frame");
  await panel.locator("text=refused at pool-init by SGL101").waitFor(WAIT);
  await page.screenshot({ path: `${SHOTS}/memory.png` });
  seen.memory = await panel.locator("body").innerText();

  await page.click(words, { position: { x: 5, y: 5 } });
  await page.keyboard.press("Control+.");
  await page.click('.action-widget .monaco-list-row:has-text("unified")');
  await page.waitForSelector(".squiggly-error", { state: "detached", ...WAIT });
  await panel.locator("text=refused at pool-init by SGL101").waitFor({ state: "detached", ...WAIT });
  seen.after = (await texts(page, ".view-line")).join("\n").replaceAll("\u00a0", " ");
  await page.screenshot({ path: `${SHOTS}/fixed.png` });

  await command(page, "SGLint: Show Launches of the Workspace");
  await page.waitForSelector('.pane-body .monaco-list-row:has-text("refused")', WAIT);
  await page.screenshot({ path: `${SHOTS}/launches.png` });
  seen.tree = await texts(page, '.pane-body .monaco-list-row:has-text("refused")');
  return seen;
});
console.log(JSON.stringify(seen));
