/** A memory plan as a page. Knows no editor; colours are the theme's. */

import type { MemoryPage, Plan, Pool } from "./protocol";
import { launchText, verdictText } from "./wording";

const GIB = 1024 ** 3;

/** A whole page with the picture of the memory, a table of the pools, what each fix changes, and the arithmetic. */
export function memoryHtml(page: MemoryPage, nonce: string): string {
  const { launch, plan, fixes } = page;
  const parts = [
    `<h2>${escaped(launchText(launch))}</h2>`,
    `<p class="${launch.verdict.status}">${escaped(verdictText(launch.verdict))}</p>`,
    picture(page.svg),
    poolTable(plan),
    limits(plan),
    fixTable(fixes),
    list("How it is computed", plan.explanation ?? []),
    list("Not known", plan.needs ?? []),
  ];
  return framed(parts.filter((part) => part !== "").join("\n"), nonce);
}

export function emptyHtml(sentence: string, nonce: string): string {
  return framed(`<p>${escaped(sentence)}</p>`, nonce);
}

export function escaped(text: string): string {
  const names: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return text.replace(/[&<>"']/g, (character) => names[character] ?? character);
}

/** As an image of its own, so that nothing in it can reach the page. */
function picture(svg: string): string {
  const source = `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
  return svg === "" ? "" : `<label class="picture" title="Click to enlarge"><input type="checkbox"><img alt="GPU memory by use" src="${source}"></label>`;
}

function poolTable({ pools = [] }: Plan): string {
  const rows = pools.filter((pool) => pool.tokens ?? pool.bytes ?? pool.per_token_bytes ?? pool.virtual_id_span);
  if (rows.length === 0) {
    return "";
  }
  const largest = Math.max(...rows.map((pool) => pool.bytes ?? 0), 1);
  const head = ["tokens", "bytes per token", "GiB", "ids run to"].map((title) => `<th class="number">${title}</th>`).join("");
  return `<h3>Pools</h3><table><tr><th>pool</th>${head}<th></th></tr>${rows.map((pool) => poolRow(pool, largest)).join("")}</table>`;
}

function poolRow(pool: Pool, largest: number): string {
  const size = pool.bytes === null || pool.bytes === undefined ? "" : (pool.bytes / GIB).toFixed(2);
  const cells = [number(pool.tokens), number(pool.per_token_bytes), size, number(pool.virtual_id_span)];
  const bar = `<svg width="80" height="10"><rect class="bar" width="${Math.round((80 * (pool.bytes ?? 0)) / largest)}" height="10"></rect></svg>`;
  return `<tr><td>${escaped(pool.name)}</td>${cells.map((cell) => `<td class="number">${cell}</td>`).join("")}<td>${bar}</td></tr>`;
}

function fixTable(fixes: MemoryPage["fixes"]): string {
  const rows = fixes.map(({ title, effect }) => `<tr><td>${escaped(title)}</td><td>${escaped(effect)}</td></tr>`);
  return rows.length === 0 ? "" : `<h3>What each fix changes</h3><table>${rows.join("")}</table>`;
}

function limits({ max_total_num_tokens: tokens, limits: others = {} }: Plan): string {
  const rows = Object.entries({ max_total_num_tokens: tokens ?? null, ...others }).filter(([, value]) => value !== null);
  const cells = rows.map(([name, value]) => `<tr><td><code>${escaped(name)}</code></td><td class="number">${number(value)}</td></tr>`);
  return cells.length === 0 ? "" : `<h3>Limits</h3><table>${cells.join("")}</table>`;
}

function list(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `<h3>${title}</h3><ul>${lines.map((line) => `<li>${escaped(line)}</li>`).join("")}</ul>`;
}

function number(value: number | null | undefined): string {
  return value === null || value === undefined ? "" : value.toLocaleString("en-US");
}

function framed(body: string, nonce: string): string {
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'nonce-${nonce}'">
<title>Memory plan</title>
<style nonce="${nonce}">
body { padding: 0 1.2em 1.2em; line-height: 1.5; }
table { border-collapse: collapse; }
th, td { padding: 0.15em 0.9em 0.15em 0; text-align: left; border-bottom: 1px solid var(--vscode-widget-border, #8884); }
.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td { vertical-align: top; }
.picture { display: block; overflow-x: auto; cursor: zoom-in; }
.picture input { position: absolute; opacity: 0; }
.picture img { width: 100%; max-width: 1200px; }
.picture input:focus-visible + img { outline: 1px solid var(--vscode-focusBorder); }
.picture input:checked + img { width: 1200px; max-width: none; cursor: zoom-out; }
body.vscode-dark img, body.vscode-high-contrast img { color-scheme: dark; }
body.vscode-light img, body.vscode-high-contrast-light img { color-scheme: light; }
.bar { fill: var(--vscode-charts-green); }
.refused { color: var(--vscode-errorForeground); }
.accepted { color: var(--vscode-testing-iconPassed, inherit); }
</style></head><body>${body}</body></html>`;
}
