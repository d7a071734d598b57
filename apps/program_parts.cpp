// SPDX-License-Identifier: BSD-3-Clause
#include "apps/program_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "apps/quantities.hpp"
#include "planner/program/term_traffic.hpp"

namespace foretile {

std::string distribution_text(const ProgramDistribution& distribution) {
  const auto cut = std::ranges::count_if(distribution.split_k, [](int pieces) { return pieces > 1; });
  const char* const blocks =
      distribution.owners.empty() ? "blocks round-robin" : "blocks where they are needed";
  if (cut == 0) return fmt::format("{}, no split-K", blocks);
  return fmt::format("{}, split-K of {} {}", blocks, cut, cut == 1 ? "term" : "terms");
}

std::string strategies_text(const FusedProgram& program, const ProgramDistribution& distribution) {
  std::map<std::string, std::vector<std::string>> terms;
  for (std::size_t term = 0; term < program.terms().size(); ++term) {
    if (const std::string name = distribution.strategy_of(term); !name.empty())
      terms[name].push_back(program.program().terms[term].name);
  }
  std::string text;
  for (const auto& [name, of_strategy] : terms)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", name, fmt::join(of_strategy, ", "));
  return text;
}

nlohmann::ordered_json distribution_json(const FusedProgram& program,
                                         const ProgramDistribution& distribution) {
  nlohmann::ordered_json json{{"blocks", distribution.owners.empty() ? "round-robin" : "chosen"},
                              {"split_k", nlohmann::ordered_json::object()}};
  for (std::size_t term = 0; term < program.terms().size(); ++term) {
    if (distribution.split_k_of(term) > 1)
      json["split_k"][program.program().terms[term].name] = distribution.split_k_of(term);
    if (const std::string name = distribution.strategy_of(term); !name.empty())
      json["strategies"][program.program().terms[term].name] = name;
  }
  return json;
}

std::string name_of(const PlannedStep& step) {
  return step.parts == 1 ? fmt::to_string(step.number) : fmt::format("{}.{}", step.number, step.part);
}

nlohmann::ordered_json traffic_json(const FusedProgram& program, const ProgramPlan& plan) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  const std::vector<TermTraffic> traffic = traffic_of_terms(plan, program.terms().size());
  const auto bytes_json = [](const SentBytes& sent) {
    return nlohmann::ordered_json{{"all", sent.all}, {"between_nodes", sent.between_nodes}};
  };
  for (std::size_t term = 0; term < traffic.size(); ++term) {
    if (traffic[term].all().all == 0) continue;
    json.push_back({{"name", program.program().terms[term].name},
                    {"a", bytes_json(traffic[term].a)},
                    {"b", bytes_json(traffic[term].b)},
                    {"c", bytes_json(traffic[term].c)}});
  }
  return json;
}

std::string traffic_text(const FusedProgram& program, const ProgramPlan& plan) {
  constexpr std::size_t kMost = 3;
  const std::vector<TermTraffic> traffic = traffic_of_terms(plan, program.terms().size());
  std::vector<std::size_t> terms;
  for (std::size_t term = 0; term < traffic.size(); ++term) {
    if (traffic[term].all().all > 0) terms.push_back(term);
  }
  std::ranges::stable_sort(terms, std::ranges::greater{},
                           [&](std::size_t term) { return traffic[term].all().all; });
  terms.resize(std::min(terms.size(), kMost));
  std::vector<std::string> texts;
  for (const std::size_t term : terms)
    texts.push_back(fmt::format("{} {}", program.program().terms[term].name,
                                quantity(static_cast<double>(traffic[term].all().all), "B")));
  return fmt::format("{}", fmt::join(texts, ", "));
}

nlohmann::ordered_json step_json(const FusedProgram& program, const PlannedStep& step) {
  nlohmann::ordered_json names = nlohmann::ordered_json::array();
  for (const TermPart& part : step.terms) names.push_back(program.program().terms[part.term].name);
  return {{"step", step.number},
          {"part", step.part},
          {"terms", step.terms.size()},
          {"names", std::move(names)},
          {"gemms", step.gemms},
          {"flops", step.flops},
          {"strategy", step.strategy},
          {"sent_bytes", step.sent_bytes},
          {"peak_host_bytes", step.peak_host_bytes}};
}

namespace {

/// Which terms a part of a step has: two by name, and whether they are slices.
std::string terms_of_part(const FusedProgram& program, const PlannedStep& step) {
  if (step.parts == 1) return {};
  std::string text;
  for (std::size_t n = 0; n < std::min<std::size_t>(step.terms.size(), 2); ++n) {
    const TermPart& part = step.terms[n];
    const TermPart whole = whole_term(program, part.term);
    const bool is_slice = part.rows != whole.rows || part.columns != whole.columns;
    text += fmt::format("{}{}{}", n == 0 ? "  " : ", ", program.program().terms[part.term].name,
                        is_slice ? " (a slice)" : "");
  }
  return text + (step.terms.size() > 2 ? ", ..." : "");
}

}  // namespace

std::string step_lines(const FusedProgram& program, const ProgramPlan& plan,
                       const std::vector<double>* ends_s) {
  std::string text =
      fmt::format("  {:<6} {:>5} {:>11} {:>10}  {:<16} {:>10} {:>10}{}\n", name_of_step(plan.mode), "terms",
                  "GEMMs", "flop", "strategy", "sent", "memory", ends_s ? "    ends at" : "");
  for (std::size_t n = 0; n < plan.steps.size(); ++n) {
    const PlannedStep& step = plan.steps[n];
    text += fmt::format("  {:<6} {:>5} {:>11} {:>10}  {:<16} {:>10} {:>10}", name_of(step), step.terms.size(),
                        grouped(step.gemms), quantity(step.flops, ""), step.strategy,
                        quantity(static_cast<double>(step.sent_bytes), "B"),
                        quantity(static_cast<double>(step.peak_host_bytes), "B"));
    if (ends_s) text += fmt::format(" {:>10}", quantity((*ends_s)[n], "s"));
    text += terms_of_part(program, step) + "\n";
  }
  return text;
}

nlohmann::ordered_json by_rank_json(std::span<const RankStatistics> ranks) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const RankStatistics& rank : ranks) {
    nlohmann::ordered_json products = nlohmann::ordered_json::array();
    for (const DeviceStatistics& device : rank.devices) products.push_back(device.kernels);
    all.push_back({{"products", products}, {"tasks", rank.combines}, {"sent_bytes", rank.sent_bytes}});
  }
  return all;
}

nlohmann::ordered_json times_json(const ProgramTimes& times) {
  return {{"products", times.products_s}, {"tasks", times.tasks_s}, {"sending", times.send_s}};
}

std::string times_line(const ProgramTimes& times, int column) {
  return fmt::format("{:<{}}products {}, permuting and adding {}, sending {}: means of ranks\n", "at work",
                     column, quantity(times.products_s, "s"), quantity(times.tasks_s, "s"),
                     quantity(times.send_s, "s"));
}

}  // namespace foretile
