// SPDX-License-Identifier: BSD-3-Clause
// The first panel: what a work takes, what limits it, what may be changed.
import type { Report, Work } from "./facts.ts";
import { element, panel } from "./html.ts";
import { grouped, percent, quantity } from "./units.ts";

type Line = [label: string, text: string];

function boundLine(label: string, seconds: number | undefined, what: string | undefined, makespan: number): Line[] {
  if (!seconds) return [];
  return [[label, `${quantity(seconds, "s")}; the time is ${(makespan / seconds).toFixed(2)} times that${what ? ` (${what})` : ""}`]];
}

function memoryLines(report: Report): Line[] {
  const lines: Line[] = [];
  const device = report.peak_device_bytes as { max: number } | undefined;
  const budget = report.budget_device_bytes;
  if (device && budget) lines.push(["Memory of a device", `${quantity(device.max, "B")} of ${quantity(budget, "B")} (${percent(device.max / budget)})`]);
  if (report.peak_host_bytes) {
    const of = report.host_bytes ? ` of ${quantity(report.host_bytes, "B")}` : "";
    lines.push(["Host memory of a rank", `${quantity(report.peak_host_bytes, "B")}${of}, proven`]);
  }
  return lines;
}

export function answerLines(work: Work): Line[] {
  const { report } = work;
  const lines: Line[] = [["Time", quantity(report.makespan_s, "s") + (report.coarse ? ", simulated coarsely" : "")]];
  if (report.flops_per_s) lines.push(["Rate", `${quantity(report.flops_per_s, "flop/s")}, ${quantity(report.flops_per_s / work.devices, "flop/s")} for each device`]);
  if (report.gemms) lines.push(["Products of tiles", grouped(report.gemms)]);
  lines.push(...boundLine("Bound of this plan", report.bound_s, report.bound, report.makespan_s));
  lines.push(...boundLine("Bound of any plan", report.problem_bound_s, report.problem_bound, report.makespan_s));
  lines.push(...memoryLines(report));
  if (report.joules) lines.push(["Energy", `${report.energy_is_guess ? "about " : ""}${quantity(report.joules, "J")}`]);
  lines.push(["Node hours", String(Number(((work.nodes * report.makespan_s) / 3600).toPrecision(4)))]);
  return lines;
}

export function machineText(work: Work): string {
  const count = (number: number, name: string): string => `${grouped(number)} ${name}${number === 1 ? "" : "s"}`;
  return `${count(work.nodes, "node")} of ${work.platform}, ${count(work.ranks, "rank")}, ${count(work.devices, "device")}`;
}

export function answerPanel(work: Work): HTMLElement {
  const facts = element("dl", { class: "facts" });
  for (const [label, text] of answerLines(work)) facts.append(element("dt", {}, label), element("dd", {}, text));
  const sentences = work.answer.map(({ rule, text }) => element("li", {}, text.charAt(0).toUpperCase() + text.slice(1), " ", element("span", { class: "rule" }, rule)));
  const about = element("p", { class: "about" }, `${machineText(work)} · ${work.strategy} · plan ${work.digest} · ${work.source}`);
  return panel(work.problem, about, element("ul", { class: "answers" }, ...sentences), facts);
}
