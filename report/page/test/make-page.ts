// SPDX-License-Identifier: BSD-3-Clause
// Pages of made-up runs: the same seed gives the same page. The numbers need not fit each other.
import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import type { Curve, Evaluation, Facts, Part, Report, Total, Tuning, Work } from "../src/data/facts.ts";
import { type Operation, encoded, randomNumbers } from "./encode.ts";

export interface Size {
  seed: number;
  nodes: number;
  ranksPerNode: number;
  devicesPerRank: number;
  /** Of each lane. */
  operations: number;
  bins: number;
}

const causes = ["kernel", "generate", "h2d", "d2d", "d2h", "network", "wait", "combine"];
const kinds = ["generation", "messages", "kernels", "loads", "stores", "additions"];
const causeOfKind = [1, 5, 0, 2, 4, 7];
const tick_s = 1e-9;
const operationsOfBlock = 4096;
const fullSection = 512 << 10;

/** What report/sections.cpp does. */
class Writer {
  private readonly sections: Uint8Array[][] = [[], []];
  private first = 0;
  private last = 0;

  add(type: Part["type"], numbers: number[] | Uint8Array): Part {
    const made = { u8: Uint8Array, i32: Int32Array, f32: Float32Array, f64: Float64Array }[type].from(numbers);
    const padding = (8 - (made.byteLength % 8)) % 8;
    const part = { section: 0, offset: this.first, type, count: made.length };
    this.sections[0].push(new Uint8Array(made.buffer), new Uint8Array(padding));
    this.first += made.byteLength + padding;
    return part;
  }

  addBlock(bytes: Uint8Array): { section: number; offset: number } {
    if (this.last >= fullSection) {
      this.sections.push([]);
      this.last = 0;
    }
    const place = { section: this.sections.length - 1, offset: this.last };
    this.sections[place.section].push(bytes);
    this.last += bytes.length;
    return place;
  }

  html(): string {
    return this.sections
      .map((parts, n) => `<script type="application/octet-stream" id="section-${String(n)}">${deflateSync(Buffer.concat(parts), { level: 1 }).toString("base64")}</script>\n`)
      .join("");
  }
}

interface Lane {
  rank: number;
  device: number;
  kind: number;
  copy: number;
}

function lanesOf({ nodes, ranksPerNode, devicesPerRank }: Size): Lane[] {
  const lanes: Lane[] = [];
  for (let rank = 0; rank < nodes * ranksPerNode; ++rank) {
    lanes.push({ rank, device: -1, kind: 0, copy: 0 }, { rank, device: -1, kind: 0, copy: 1 }, { rank, device: -1, kind: 1, copy: 0 });
    for (let device = 0; device < devicesPerRank; ++device) for (const kind of [2, 3, 4]) lanes.push({ rank, device, kind, copy: 0 });
  }
  return lanes;
}

/** Products have three indices, copies those of a tile of A or C. */
function operationAt(start: number, length: number, cause: number, random: (below: number) => number): Operation {
  const kernel = cause === 0;
  const stored = cause === 4;
  return { start, end: start + length, cause, i: random(40), j: kernel || stored ? random(30) : -1, k: stored ? -1 : random(50), products: kernel ? 1 + random(4) : 0, bytes: kernel ? 0 : 1_000_000 + random(80_000_000) };
}

/** Lanes differ in how busy they are, and stores come late. */
function operationsOf(lane: Lane, count: number, random: (below: number) => number): Operation[] {
  const list: Operation[] = [];
  const gap = 200 + 150 * ((lane.rank + lane.device) % 7) + (lane.kind === 4 ? 3000 : 0);
  let now = lane.kind === 4 ? count * 500 : random(2000);
  for (let n = 0; n < count; ++n) {
    const cause = lane.kind === 3 && random(4) === 0 ? 3 : causeOfKind[lane.kind];
    const operation = operationAt(now + random(gap), 100 + random(1400), cause, random);
    now = operation.end;
    list.push(operation);
  }
  return list;
}

function addShares(shares: Uint8Array, lane: number, operations: Operation[], bins: number, end: number): void {
  const busy = new Float64Array(bins);
  const length = end / bins;
  for (const { start, end: last } of operations)
    for (let bin = Math.floor(start / length); bin < bins && bin * length < last; ++bin) busy[bin] += Math.min(last, (bin + 1) * length) - Math.max(start, bin * length);
  busy.forEach((ticks, bin) => (shares[lane * bins + bin] = Math.round(255 * Math.min(1, ticks / length))));
}

function totalsOf(operations: Operation[]): Total[] {
  const totals = causes.map((cause) => ({ cause, operations: 0, seconds: 0, bytes: 0 }));
  for (const { cause, start, end, bytes } of operations) {
    totals[cause].operations += 1;
    totals[cause].seconds += (end - start) * tick_s;
    totals[cause].bytes += bytes;
  }
  return totals.filter((total) => total.operations > 0);
}

function timelineOf(size: Size, writer: Writer, random: (below: number) => number): Work["timeline"] {
  const lanes = lanesOf(size);
  const made = lanes.map((lane) => operationsOf(lane, lane.kind === 4 ? Math.ceil(size.operations / 8) : size.operations, random));
  const end = made.reduce((most, list) => Math.max(most, list.at(-1)?.end ?? 0), 0);
  const shares = new Uint8Array(lanes.length * size.bins);
  const block = { first: [] as number[], last: [] as number[], operations: [] as number[], section: [] as number[], offset: [] as number[], length: [] as number[] };
  const firstBlock = [0];
  made.forEach((list, lane) => {
    addShares(shares, lane, list, size.bins, end);
    for (let n = 0; n < list.length; n += operationsOfBlock) {
      const part = list.slice(n, n + operationsOfBlock);
      const bytes = encoded(part);
      const place = writer.addBlock(bytes);
      block.first.push(part[0].start);
      block.last.push(part[part.length - 1].end);
      block.operations.push(part.length);
      block.section.push(place.section);
      block.offset.push(place.offset);
      block.length.push(bytes.length);
    }
    firstBlock.push(block.first.length);
  });
  const ints = (numbers: number[]): Part => writer.add("i32", numbers);
  return {
    tick_s,
    end,
    operations: made.reduce((sum, list) => sum + list.length, 0),
    bins: size.bins,
    node_of_rank: ints(Array.from({ length: size.nodes * size.ranksPerNode }, (_, rank) => Math.floor(rank / size.ranksPerNode))),
    causes,
    kinds,
    lanes: {
      count: lanes.length,
      rank: ints(lanes.map(({ rank }) => rank)),
      device: ints(lanes.map(({ device }) => device)),
      kind: ints(lanes.map(({ kind }) => kind)),
      copy: ints(lanes.map(({ copy }) => copy)),
      operations: ints(made.map((list) => list.length)),
      first_block: ints(firstBlock),
    },
    shares: writer.add("u8", shares),
    blocks: {
      count: block.first.length,
      first: writer.add("f64", block.first),
      last: writer.add("f64", block.last),
      operations: ints(block.operations),
      section: ints(block.section),
      offset: ints(block.offset),
      length: ints(block.length),
    },
    totals: totalsOf(made.flat()),
    marks: [
      { name: "bound of any plan", seconds: 0.6 * end * tick_s },
      { name: "bound of this plan", seconds: 0.9 * end * tick_s },
    ],
  };
}

/** Slow waves with noise. */
function wave(bins: number, most: number, random: (below: number) => number): number[] {
  return Array.from({ length: bins }, (_, bin) => most * (0.5 + 0.3 * Math.sin(bin / 40) + random(1000) / 6000));
}

function curvesOf(bins: number, writer: Writer, random: (below: number) => number): Curve[] {
  const curve = (cause: string | null, group: string, name: string, unit: string, most: number, limit: number | null): Curve => {
    const mean = wave(bins, most, random);
    return { cause, group, name, unit, limit, mean: writer.add("f32", mean), most: group === "memory" ? writer.add("f32", mean.map((value) => 1.2 * value)) : null };
  };
  return [
    curve("kernel", "busy", "products under way", "per device", 1, null),
    curve("h2d", "busy", "loads under way", "per device", 2, null),
    curve("network", "busy", "messages under way", "per rank", 4, null),
    curve("h2d", "bandwidth", "host to devices", "B/s", 4e10, null),
    curve("network", "bandwidth", "between ranks", "B/s", 2e10, 2.5e10),
    curve(null, "memory", "memory of a device", "B", 1e10, 1.6e10),
    curve(null, "queue", "ready chunks of a device", "per device", 12, null),
  ];
}

const parts = (seconds: number): Record<string, number> => ({ work: 0.8 * seconds, software: 0.15 * seconds, latency_bound: 0.05 * seconds });

/** `factor`: of the times; measured runs take longer. */
export function reportOf(makespan_s: number, factor: number): Report {
  const limits = { kernel: 0.3 * makespan_s, generate: 0.05 * makespan_s, h2d: 0.55 * makespan_s, d2d: 0, d2h: 0.02 * makespan_s, network: 0.08 * makespan_s, wait: 0, combine: 0 };
  const spread = (mean: number): { min: number; mean: number; max: number } => ({ min: 0.8 * mean, mean, max: 1.1 * mean });
  return {
    makespan_s,
    flops: 5.77e12,
    flops_per_s: 5.77e12 / makespan_s,
    share_of_peak: 0.43,
    gemms: 30625,
    bound_s: (0.9 * makespan_s) / factor,
    bound: "copies to the devices of rank 0",
    problem_bound_s: (0.6 * makespan_s) / factor,
    problem_bound: "products on all devices",
    joules: 51_000,
    energy_is_guess: true,
    peak_host_bytes: 8.1e9,
    peak_device_bytes: { min: 1e10, mean: 1.1e10, max: 1.2e10 },
    budget_device_bytes: 1.6e10,
    limits,
    limit_parts: Object.fromEntries(Object.entries(limits).map(([cause, seconds]) => [cause, parts(seconds)])),
    busy: { kernels: spread(0.4 / factor), h2d: spread(0.8), d2d: spread(0.2), d2h: spread(0.05), generation: spread(0.3), network: spread(0.5), combining: { min: 0, mean: 0, max: 0 } },
    bytes: { network: 1.57e9 * factor, between_nodes: 1.36e9, within_nodes: 2.02e8, h2d: 2.88e10, d2d: 2.73e9, d2h: 7.92e8, generated: 2.65e10 },
    what_if: [
      { resource: "host links together", set: "platform.host.bandwidth=100e9", makespan_s: 0.7 * makespan_s, saved_s: 0.3 * makespan_s },
      { resource: "devices", set: "platform.gpus=12", makespan_s: 0.9 * makespan_s, saved_s: 0.1 * makespan_s },
    ],
    guesses: [{ figure: "nic.latency", value: "2e-6", makespan_s: 0.93 * makespan_s, saved_s: 0.07 * makespan_s }],
  };
}

function workOf(size: Size, source: Work["source"], name: string, problem: string, writer: Writer): Work {
  const random = randomNumbers(size.seed);
  const timeline = timelineOf(size, writer, random);
  const seconds = (timeline?.end ?? 0) * tick_s;
  const ranks = size.nodes * size.ranksPerNode;
  return {
    name,
    source,
    problem,
    platform: "made-up",
    strategy: "local-b, grid 1 x 4",
    digest: "e8cbe83e93e6022c",
    nodes: size.nodes,
    ranks,
    devices: ranks * size.devicesPerRank,
    report: reportOf(seconds, source === "measured" ? 1.1 : 1),
    answer: [
      { rule: "limit", text: "copying from host to device takes 55% of the critical path." },
      { rule: "software", text: "Software costs take 15% of the critical path: larger tiles need fewer operations." },
    ],
    timeline,
    curves: curvesOf(size.bins, writer, random),
  };
}

function tuningOf(seed: number): Tuning {
  const random = randomNumbers(seed);
  const evaluations = Array.from({ length: 60 }, (_, n): Evaluation => {
    const status = ["done", "done", "stopped", "infeasible"][random(4)];
    const seconds = 20 + random(4000) / (40 + n);
    const parameters = { strategy: "local-b", "grid.p": String(2 ** random(4)), block_fraction: String((1 + random(9)) / 10) };
    return { status, makespan_s: status === "done" ? seconds : null, lower_bound_s: status === "stopped" ? seconds : null, message: status === "infeasible" ? "the blocks need 17 GB of 16 GB" : null, parameters, wall_s: 1.5 };
  });
  return { name: "history.jsonl", evaluations };
}

export interface MadePage {
  html: string;
  facts: Facts;
}

/** The second work, if it is wanted, is measured and has another seed. */
export function madePage(size: Size, { problem = "c12", works = 1, tunings = 0 } = {}): MadePage {
  const writer = new Writer();
  const list = works > 0 ? [workOf(size, "simulated", "plan.json", problem, writer)] : [];
  if (works > 1) list.push(workOf({ ...size, seed: size.seed + 1, operations: Math.ceil(1.1 * size.operations) }, "measured", "run.json", problem, writer));
  const facts: Facts = { format: 1, title: `${problem} on ${String(size.nodes)} nodes of made-up`, program: "foretile 0.0.0", made: "2026-12-01 12:00 UTC", command: "foretile report plan.json -o page.html", works: list, tunings: tunings > 0 ? [tuningOf(size.seed)] : [] };
  const json = JSON.stringify(facts).replaceAll("<", "\\u003c");
  const data = `<script type="application/json" id="facts">${json}</script>\n${writer.html()}`;
  const packed = readFileSync("../packed/page.html", "utf8");
  const title = facts.title.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  return { html: packed.replace("<!-- foretile: title -->", () => title).replace("<!-- foretile: data -->", () => data), facts };
}
