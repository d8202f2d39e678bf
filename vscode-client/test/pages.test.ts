import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryHtml } from "../src/memoryHtml";
import type { Launch, MemoryPage } from "../src/protocol";
import { evidenceText, launchDetails, launchText, verdictText } from "../src/wording";

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
    pools: [{ name: "full", tokens: 756607, bytes: 1024 ** 3, per_token_bytes: 36864, virtual_id_span: null }],
    max_total_num_tokens: 756607,
    explanation: ["the model <script>alert(1)</script> is big"],
  },
  fixes: [{ title: "Drop the unified pool", effect: "full tokens 756,607 -> 779,959 (+3 %)" }],
  svg: '<svg xmlns="http://www.w3.org/2000/svg"/>',
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
});

test("the picture is an image of its own, and is left out where there is none", () => {
  const { svg } = PAGE;
  const inline = /src="data:image\/svg\+xml;base64,([^"]+)"/.exec(memoryHtml(PAGE, "n"))?.[1] ?? "";
  assert.equal(Buffer.from(inline, "base64").toString(), svg);
  assert.doesNotMatch(memoryHtml({ ...PAGE, svg: "" }, "n"), /<img/);
});

test("what each fix changes stands beside its title", () => {
  assert.match(memoryHtml(PAGE, "n"), /<tr><td>Drop the unified pool<\/td><td>full tokens 756,607/);
  assert.doesNotMatch(memoryHtml({ ...PAGE, fixes: [] }, "n"), /What each fix changes/);
});

test("evidence tells the value and where it is from", () => {
  assert.equal(evidenceText(LAUNCH.gpu), "h200 (node label)");
  assert.equal(evidenceText(null), "not known");
});
