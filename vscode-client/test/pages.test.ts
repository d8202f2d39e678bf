import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHtml } from "../src/memoryHtml";
import type { Launch, MemoryPage } from "../src/protocol";
import { launchDetails, launchText, verdictText } from "../src/wording";

const LAUNCH: Launch = {
  number: 0,
  title: "server openai/gpt-oss-120b",
  range: { start: { line: 1, character: 0 }, end: { line: 1, character: 4 } },
  release: { value: "0.5.18", source: "image tag" },
  model: { value: "openai/gpt-oss-120b", source: "argument" },
  gpu: { value: "h200", source: "node label" },
  gpu_count: null,
  verdict: { status: "refused", stage: "pool-init", code: "SGL101", needs: [] },
  findings: ["SGL101"],
};

const PAGE: MemoryPage = {
  launch: LAUNCH,
  plan: {
    budget: { total: 100 * 1024 ** 3, weights: 60 * 1024 ** 3, rest: 30 * 1024 ** 3, draft_weights: null, confidence: "estimated" },
    pools: [{ name: "full", tokens: 756607, bytes: 1024 ** 3, per_token_bytes: 36864, virtual_id_span: null }],
    max_total_num_tokens: 756607,
    explanation: ["the model <script>alert(1)</script> is big"],
  },
  fixes: [{ title: "Drop the unified pool", effect: "full tokens 756,607 -> 779,959 (+3 %)" }],
  markdown: "",
};

test("a launch is named by release, model and GPU", () => {
  assert.equal(launchText(LAUNCH), "SGLang 0.5.18 \u00b7 gpt-oss-120b \u00b7 h200");
  assert.equal(launchText({ ...LAUNCH, model: null, gpu: null }), "SGLang 0.5.18 \u00b7 model? \u00b7 GPU?");
  assert.equal(verdictText(LAUNCH.verdict), "refused at pool-init by SGL101");
});

test("the details say where each value is from, and which is not known", () => {
  assert.match(launchDetails(LAUNCH), /\| release \| `0\.5\.18` \| image tag \|/);
  assert.match(launchDetails(LAUNCH), /\| GPUs \| not known \| \|/);
});

test("the memory page shows pools and fixes, and text stays text", () => {
  const html = memoryHtml(PAGE, "n0nce");
  assert.match(html, /756,607/);
  assert.match(html, /Drop the unified pool/);
  assert.doesNotMatch(html, /<script>/);
  assert.doesNotMatch(html, /draft weights/);
});

test("the bars of the budget have widths that follow the bytes", () => {
  const widths = [...memoryHtml(PAGE, "n").matchAll(/<rect class="term\d" x="[\d.]+%" width="([\d.]+)%"/g)].map((found) => Number(found[1]));
  assert.deepEqual(widths, [60, 30]);
});
