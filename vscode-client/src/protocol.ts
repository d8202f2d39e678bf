/** Shapes of the server's own requests (`sglint/*`), as the server writes them. */

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

/** A value and where it was read: `image tag`, `node label`, `setting` ... */
export interface Evidence {
  value: string;
  source: string;
}

export interface Verdict {
  status: "refused" | "accepted" | "unknown";
  stage: string | null;
  code: string | null;
  needs: string[];
}

export interface Launch {
  number: number;
  title: string;
  range: Range;
  release: Evidence;
  model: Evidence | null;
  gpu: Evidence | null;
  gpu_count: Evidence | null;
  verdict: Verdict;
  findings: string[];
}

export interface FileLaunches {
  uri: string;
  launches: Launch[];
}

export interface Status {
  state: "launches" | "no launch" | "not read";
  reason: string;
  launches: Launch[];
  /** Number of the launch at the asked position. */
  launch: number | null;
}

export interface Pool {
  name: string;
  tokens: number | null;
  bytes: number | null;
  per_token_bytes: number | null;
  virtual_id_span: number | null;
}

export interface Plan {
  pools?: Pool[];
  max_total_num_tokens?: number | null;
  limits?: Record<string, number | null>;
  explanation?: string[];
  needs?: string[];
}

export interface MemoryPage {
  launch: Launch;
  plan: Plan;
  fixes: { title: string; effect: string }[];
  /** A picture of the GPU's memory, with its own styles. */
  svg: string;
  markdown: string;
}

export interface Known {
  version: string;
  releases: string[];
  gpus: string[];
  rules: { code: string; name: string; summary: string }[];
}
