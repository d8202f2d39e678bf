// Does by mouse and keyboard what a user does, and keeps pictures of it. Prints what was seen as JSON.
import { address, withPage } from "./browser.mjs";

const SHOTS = process.env.E2E_SHOTS;
const WAIT = { timeout: 60_000 };
const WORDS = '.view-line:has-text("--enable-unified-memory") span:has-text("--enable-unified-memory") >> nth=-1';

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
const shot = (page, name) => page.screenshot({ path: `${SHOTS}/${name}.png` });
const webview = (page) => page.frameLocator("iframe.webview.ready").frameLocator("#active-frame");

async function look(page, seen) {
  await page.goto(address());
  await page.waitForSelector(".explorer-folders-view .monaco-list-row", WAIT);
  await openFile(page, process.env.E2E_FILE);
  await page.waitForSelector(".squiggly-error", WAIT);
  await page.waitForSelector('.codelens-decoration:has-text("refused")', WAIT);
  await page.waitForSelector('.statusbar-item:has-text("SGLang 0.5.18")', WAIT);
  seen.status = (await texts(page, '.statusbar-item:has-text("SGLang 0.5.18")'))[0];
  seen.lenses = await texts(page, ".codelens-decoration");
}

async function nextProblem(page, seen) {
  await page.click('.view-line:has-text("apiVersion")');
  await page.keyboard.press("F8");
  const widget = '.peekview-widget:visible, .marker-widget:visible';
  while (!(await page.$(`:is(${widget}):has-text("SGL101")`))) {
    await page.waitForSelector(widget, WAIT);
    await page.keyboard.press("F8");
    await page.waitForTimeout(100);
  }
  seen.next = (await texts(page, widget)).join("\n");
  await page.keyboard.press("Escape");
}

async function hover(page, seen) {
  await page.click(WORDS);
  await page.keyboard.press("Control+K");
  await page.keyboard.press("Control+I");
  const widget = '.monaco-hover:visible:has-text("SGL101")';
  await page.waitForSelector(widget, WAIT);
  seen.hover = (await texts(page, ".monaco-hover:visible")).join("\n");
  await shot(page, "message");
  await page.locator(`${widget} table`).first().scrollIntoViewIfNeeded(WAIT);
  await shot(page, "hover");
  await page.keyboard.press("Escape");
}

async function quickFixes(page, seen) {
  await page.click(WORDS);
  await page.keyboard.press("Control+.");
  await page.waitForSelector(".action-widget .monaco-list-row", WAIT);
  seen.fixes = await texts(page, ".action-widget .monaco-list-row .title");
  await shot(page, "quick-fix");
  await page.keyboard.press("Escape");
}

async function settings(page, seen) {
  await page.click('.statusbar-item:has-text("SGLang 0.5.18")');
  await page.waitForSelector('.quick-input-list .monaco-list-row:has-text("Set GPU")', WAIT);
  seen.settings = await texts(page, ".quick-input-list .monaco-list-row");
  await shot(page, "configure");
  await page.keyboard.press("Escape");
}

async function otherRelease(page, seen) {
  await page.click(WORDS);
  await command(page, "SGLint: Check Launch Against a Release");
  await page.waitForSelector('.quick-input-list .monaco-list-row:has-text("0.5.23")', WAIT);
  await page.keyboard.type("0.5.23");
  await page.keyboard.press("Enter");
  const preview = webview(page);
  await preview.locator("body:has-text('0.5.23')").waitFor(WAIT);
  seen.release = await preview.locator("body").innerText();
  await shot(page, "release");
  await page.keyboard.press("Control+W");
}

async function memoryAndFix(page, seen) {
  await page.click(WORDS);
  await command(page, "SGLint: Show Memory Plan");
  const panel = webview(page);
  await panel.locator("text=refused at pool-init by SGL101").waitFor(WAIT);
  await page.setViewportSize({ width: 1280, height: 720 });
  await panel.locator("img").evaluate((image) => image.decode());
  await shot(page, "memory");
  seen.memory = await panel.locator("body").innerText();
  await page.click(WORDS, { position: { x: 5, y: 5 } });
  await page.keyboard.press("Control+.");
  await page.click('.action-widget .monaco-list-row:has-text("unified")');
  await page.waitForSelector(".squiggly-error", { state: "detached", ...WAIT });
  await panel.locator("text=refused at pool-init by SGL101").waitFor({ state: "detached", ...WAIT });
  seen.after = (await texts(page, ".view-line")).join("\n").replaceAll("\u00a0", " ");
  await shot(page, "fixed");
}

async function launches(page, seen) {
  await command(page, "SGLint: Show Launches of the Workspace");
  await page.waitForSelector('.pane-body .monaco-list-row:has-text("refused")', WAIT);
  await shot(page, "launches");
  seen.tree = await texts(page, '.pane-body .monaco-list-row:has-text("refused")');
}

async function walkthrough(page, seen) {
  await page.keyboard.press("Control+B");
  await command(page, "View: Single Column Editor Layout");
  await command(page, "SGLint: Get Started");
  await page.waitForSelector('.gettingStartedContainer :text("See what a release refuses")', WAIT);
  seen.steps = (await page.$$(".gettingStartedContainer .getting-started-step")).length;
  const drawn = () => [...document.querySelectorAll(".gettingStartedContainer img")].some((image) => image.complete && image.naturalWidth > 0);
  await page.waitForFunction(drawn, undefined, WAIT);
  await shot(page, "walkthrough");
}

const seen = await withPage(async (page) => {
  const seen = {};
  await look(page, seen);
  if (process.env.E2E_ONLY_LOOK) {
    seen.restricted = (await page.$$('.statusbar-item:has-text("Restricted Mode")')).length > 0;
    return seen;
  }
  await shot(page, "squiggle");
  await page.keyboard.press("Control+B");
  for (const step of [nextProblem, hover, quickFixes, settings, otherRelease, memoryAndFix, launches, walkthrough]) {
    try {
      await step(page, seen);
    } catch (error) {
      await shot(page, "failed");
      throw new Error(`${step.name}: ${error.message}`);
    }
  }
  return seen;
});
console.log(JSON.stringify(seen));
