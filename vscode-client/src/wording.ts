/** What the status item and the tree say about a launch. Knows no editor. */

import type { Evidence, Launch, Status, Verdict } from "./protocol";

const SAYS: Record<Verdict["status"], string> = { refused: "refused", accepted: "starts", unknown: "not decided" };

export function verdictText({ status, stage, code }: Verdict): string {
  return status === "refused" ? `refused at ${stage ?? "start"}${code === null ? "" : ` by ${code}`}` : SAYS[status];
}

/** `SGLang 0.5.18 · gpt-oss-120b · h200 x 8` */
export function launchText(launch: Launch): string {
  const model = launch.model?.value.split("/").at(-1) ?? "model?";
  return [`SGLang ${launch.release.value}`, model, gpuText(launch)].join(" \u00b7 ");
}

export function gpuText({ gpu, gpu_count }: Launch): string {
  return gpu === null ? "GPU?" : gpu_count === null ? gpu.value : `${gpu.value} x ${gpu_count.value}`;
}

/** `h200 (node label)` */
export function evidenceText(evidence: Evidence | null | undefined): string {
  return evidence ? `${evidence.value} (${evidence.source})` : "not known";
}

/** Markdown: what each value is and where it came from. */
export function launchDetails(launch: Launch): string {
  const rows: [string, Evidence | null][] = [
    ["release", launch.release],
    ["model", launch.model],
    ["GPU", launch.gpu],
    ["GPUs", launch.gpu_count],
  ];
  const lines = rows.map(([name, evidence]) =>
    evidence === null ? `| ${name} | not known | |` : `| ${name} | \`${evidence.value}\` | ${evidence.source} |`,
  );
  const needs = launch.verdict.needs.map((need) => `- ${need}`);
  return [`**${launch.title}**: ${verdictText(launch.verdict)}`, "", "| | | from |", "|---|---|---|", ...lines, "", ...needs].join("\n");
}

export function launchOf(status: Status): Launch | undefined {
  return status.launches.find(({ number }) => number === status.launch);
}
