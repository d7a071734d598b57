// SPDX-License-Identifier: BSD-3-Clause
// What is in the page: report/README.md says what it means.

export type NumberType = "u8" | "i32" | "f32" | "f64";

/** A part of a section. */
export interface Part {
  section: number;
  offset: number;
  type: NumberType;
  count: number;
}

export interface Lanes {
  count: number;
  rank: Part;
  device: Part;
  kind: Part;
  copy: Part;
  operations: Part;
  first_block: Part;
}

export interface Blocks {
  count: number;
  first: Part;
  last: Part;
  operations: Part;
  section: Part;
  offset: Part;
  length: Part;
}

export interface Mark {
  name: string;
  seconds: number;
}

/** Of all operations of a cause. */
export interface Total {
  cause: string;
  operations: number;
  seconds: number;
  bytes: number;
}

export interface Timeline {
  tick_s: number;
  end: number;
  operations: number;
  bins: number;
  node_of_rank: Part;
  causes: string[];
  kinds: string[];
  lanes: Lanes;
  shares: Part;
  blocks: Blocks;
  totals: Total[];
  marks: Mark[];
}

export interface Curve {
  cause: string | null;
  group: string;
  name: string;
  unit: string;
  limit: number | null;
  mean: Part;
  most: Part | null;
}

export interface Answer {
  rule: string;
  text: string;
}

export interface Work {
  name: string;
  source: "simulated" | "measured";
  problem: string;
  platform: string;
  strategy: string;
  digest: string;
  nodes: number;
  ranks: number;
  devices: number;
  report: Report;
  answer: Answer[];
  timeline: Timeline | null;
  curves: Curve[];
}

export interface Spread {
  min: number;
  mean: number;
  max: number;
}

/** Of the keys of `foretile simulate --json` those that the page shows. Programs and measured runs lack some. */
export interface Report {
  makespan_s: number;
  flops?: number;
  flops_per_s?: number;
  share_of_peak?: number;
  gemms?: number;
  bound_s?: number;
  bound?: string;
  problem_bound_s?: number;
  problem_bound?: string;
  decision?: string;
  strategy_reason?: string;
  runtime_source?: string;
  engine?: string;
  joules?: number;
  energy_is_guess?: boolean;
  coarse?: unknown;
  peak_host_bytes?: number;
  host_bytes?: number;
  peak_device_bytes?: Spread;
  budget_device_bytes?: number;
  sent_bytes?: number;
  limits?: Record<string, number>;
  limit_parts?: Record<string, Record<string, number>>;
  busy?: Record<string, Spread>;
  mean_s?: Record<string, number>;
  bytes?: Record<string, number>;
  seeds?: { median_s: number; low_s: number; high_s: number; makespan_s: number[] };
  steps?: Step[];
  what_if?: WhatIf[];
  guesses?: Guess[];
}

/** Of a program. */
export interface Step {
  step: number;
  terms: number;
  gemms: number;
  strategy: string;
  sent_bytes: number;
  end_s: number;
}

export interface WhatIf {
  resource: string;
  set?: string;
  makespan_s: number;
  saved_s: number;
}

export interface Guess {
  figure: string;
  value: string | number;
  makespan_s: number;
  saved_s: number;
}

export interface Evaluation {
  status: string;
  makespan_s: number | null;
  lower_bound_s: number | null;
  message: string | null;
  parameters: Record<string, string>;
  wall_s: number | null;
}

/** History of a search. */
export interface Tuning {
  name: string;
  evaluations: Evaluation[];
}

export interface Facts {
  format: number;
  title: string;
  program: string;
  made: string;
  command: string;
  works: Work[];
  tunings: Tuning[];
}

export function readFacts(): Facts {
  const element = document.getElementById("facts");
  if (!element?.textContent) throw new Error("the page has no data");
  const facts = JSON.parse(element.textContent) as Facts;
  if (facts.format !== 1) throw new Error(`the data has format ${String(facts.format)}, expected 1`);
  return facts;
}
