// SPDX-License-Identifier: BSD-3-Clause
// The first panel: what a work takes, what limits it, what may be changed.
import type { Report, Work } from "../data/facts.ts";
import { type Bar, bars } from "../ui/bars.ts";
import { definitions } from "../ui/definitions.ts";
import { element, foldable, panel } from "../ui/html.ts";
import type { Colour } from "../ui/palette.ts";
import { counted, grouped, percent, plain, quantity } from "../ui/units.ts";
import { ofWork } from "./works.ts";

interface Figure {
  label: string;
  value: string;
  note: string;
}

const boundColour: Colour = [140, 140, 140];
const timeColour: Colour = [0, 114, 178];

function timeFigure({ makespan_s, coarse, seeds }: Report): Figure {
  const notes = [coarse ? "simulated coarsely" : "", seeds ? `90% of seeds: ${quantity(seeds.low_s, "s")} to ${quantity(seeds.high_s, "s")}` : ""];
  return { label: "Time", value: quantity(makespan_s, "s"), note: notes.filter(Boolean).join(", ") };
}

function rateFigures({ report, devices }: Work): Figure[] {
  const { flops_per_s: rate, share_of_peak: peak } = report;
  const figures: Figure[] = [];
  if (rate) figures.push({ label: "Rate", value: quantity(rate, "flop/s"), note: `${quantity(rate / devices, "flop/s")} for each device` });
  if (peak) figures.push({ label: "Share of peak", value: percent(peak), note: "" });
  return figures;
}

function boundFigure(label: string, seconds: number | undefined, what: string | undefined, makespan: number): Figure[] {
  if (!seconds) return [];
  return [{ label, value: quantity(seconds, "s"), note: `the time is ${(makespan / seconds).toFixed(2)} times that${what ? `; ${what}` : ""}` }];
}

function memoryFigure(label: string, used: number | undefined, of: number | undefined): Figure[] {
  if (!used) return [];
  return [{ label, value: quantity(used, "B"), note: of ? `of ${quantity(of, "B")} (${percent(used / of)})` : "" }];
}

function energyFigure({ joules, energy_is_guess: guess, flops }: Report): Figure[] {
  if (!joules) return [];
  const note = flops ? `${quantity(flops / joules, "flop/J")}${guess ? "; guessed figures" : ""}` : "";
  return [{ label: "Energy", value: quantity(joules, "J"), note }];
}

export function figuresOf(work: Work): Figure[] {
  const { report } = work;
  return [
    timeFigure(report),
    ...rateFigures(work),
    ...boundFigure("Bound of this plan", report.bound_s, report.bound, report.makespan_s),
    ...boundFigure("Bound of any plan", report.problem_bound_s, report.problem_bound, report.makespan_s),
    ...memoryFigure("Device memory", report.peak_device_bytes?.max, report.budget_device_bytes),
    ...memoryFigure("Host memory of a rank", report.peak_host_bytes, report.host_bytes),
    ...energyFigure(report),
    { label: "Node hours", value: plain((work.nodes * report.makespan_s) / 3600), note: report.gemms ? counted(report.gemms, "product") + " of tiles" : "" },
  ];
}

function figureList(work: Work): HTMLElement {
  const list = element("dl", { class: "figures" });
  for (const { label, value, note } of figuresOf(work))
    list.append(element("div", {}, element("dt", {}, label), element("dd", { class: "value" }, value), element("dd", { class: "note" }, note)));
  return list;
}

/** Time and bounds as lengths; the figures beside it have the numbers. */
function boundBars({ makespan_s, bound_s, problem_bound_s }: Report): HTMLElement[] {
  const bar = (label: string, value: number | undefined, colour: Colour): Bar[] => (value ? [{ label, parts: [{ value, colour }], text: quantity(value, "s") }] : []);
  const list = [...bar("bound of any plan", problem_bound_s, boundColour), ...bar("bound of this plan", bound_s, boundColour), ...bar("time", makespan_s, timeColour)];
  return list.length > 1 ? [bars(list)] : [];
}

function sentences({ answer }: Work): HTMLElement {
  const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
  return element("ul", { class: "answers" }, ...answer.map(({ rule, text }) => element("li", {}, capital(text), " ", element("span", { class: "rule" }, rule))));
}

function aboutLines(work: Work): [string, string][] {
  const { report } = work;
  const lines: [string, string | undefined][] = [
    ["Problem", work.problem],
    ["Machine", `${work.platform}, ${counted(work.nodes, "node")}, ${counted(work.ranks, "rank")}, ${counted(work.devices, "device")}`],
    ["Plan", work.strategy],
    ["Digest", work.digest],
    ["Why this strategy", report.decision ?? report.strategy_reason],
    ["Software costs", report.runtime_source],
    ["Engine", report.engine],
    ["Floating-point operations", report.flops ? `${quantity(report.flops, "flop")} in ${grouped(report.gemms ?? 0)} products of tiles` : undefined],
  ];
  return lines.filter((line): line is [string, string] => Boolean(line[1]));
}

export function answerPanel(work: Work, number: number): HTMLElement {
  const machine = `${counted(work.nodes, "node")} of ${work.platform}, ${counted(work.ranks, "rank")}, ${counted(work.devices, "device")}`;
  const title = `${work.problem}, ${work.source}`;
  const about = element("p", { class: "about" }, `${work.name} · ${machine} · plan ${work.digest}`);
  return ofWork(panel(title, about, sentences(work), figureList(work), ...boundBars(work.report), foldable("About this plan", definitions(aboutLines(work)))), number);
}
