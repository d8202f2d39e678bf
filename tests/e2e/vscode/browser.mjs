// What both drivers share: the browser, a page on the workbench, and an end after which nothing is waited for.
import { createRequire } from "node:module";

const { chromium } = createRequire(`${process.env.E2E_CACHE}/package.json`)("playwright-core");
const QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];

export const PORT = process.env.E2E_PORT;

export async function withPage(use) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: QUIET });
  try {
    const context = await browser.newContext({ viewport: { width: 1000, height: 640 } });
    return await use(await context.newPage());
  } finally {
    await browser.close();
  }
}

export function address(extra = {}) {
  const opened = process.env.E2E_WORKSPACE;
  const kind = opened.endsWith(".code-workspace") ? "workspace" : "folder";
  return `http://127.0.0.1:${PORT}/?${new URLSearchParams({ [kind]: opened, ...extra })}`;
}
