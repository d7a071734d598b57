// SPDX-License-Identifier: BSD-3-Clause
#include "report/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

namespace foretile {

namespace {

/// Thresholds of the rules, as docs/report.md lists them.
constexpr double kNearBound = 1.1;       // of the bound of this plan
constexpr double kBetterPlan = 1.5;      // bound of this plan over that of any plan
constexpr double kUnevenDevices = 0.3;   // difference of the busiest and the least busy device
constexpr double kMuchLatency = 0.3;     // of the critical path
constexpr double kMuchSoftware = 0.1;    // of the critical path
constexpr double kFullMemory = 0.95;     // of the memory of a device that the plan may use
constexpr double kNotableSaving = 0.02;  // of the makespan
constexpr std::size_t kMostSavings = 3;

using Rule = std::optional<Answer> (*)(const Report&);

double part_share(const Path& path, Part part) {
  double seconds = 0;
  for (int cause = 0; cause < kCauses; ++cause) seconds += path.seconds(static_cast<Cause>(cause), part);
  return path.total() > 0 ? seconds / path.total() : 0;
}

std::optional<Answer> limit(const Report& report) {
  return Answer{"limit", limit_sentence(report) + "."};
}

std::optional<Answer> near_bound(const Report& report) {
  if (!report.bounds || !(report.bounds->plan.seconds > 0)) return {};
  const double factor = report.makespan_s / report.bounds->plan.seconds;
  if (factor > kNearBound) return {};
  return Answer{"near its bound", fmt::format("The time is {:.2f} times the bound of this plan: only another "
                                              "plan or machine is faster.",
                                              factor)};
}

std::optional<Answer> better_plan(const Report& report) {
  if (!report.bounds || !(report.bounds->problem.seconds > 0)) return {};
  const double factor = report.bounds->plan.seconds / report.bounds->problem.seconds;
  if (factor < kBetterPlan) return {};
  return Answer{
      "another plan",
      fmt::format("The bound of this plan is {:.1f} times that of any plan: search for a better one "
                  "with foretile tune.",
                  factor)};
}

std::optional<Answer> uneven_devices(const Report& report) {
  const Spread& kernels = report.busy.kernels;
  if (kernels.max - kernels.min < kUnevenDevices) return {};
  return Answer{"uneven devices",
                fmt::format("The busiest device multiplies for {:.0f}% of the time, the least busy one for "
                            "{:.0f}%: finer tiles or another grid distribute the work more evenly.",
                            100 * kernels.max, 100 * kernels.min)};
}

std::optional<Answer> latency(const Report& report) {
  const double share = part_share(report.limits, Part::latency_bound);
  if (share < kMuchLatency) return {};
  return Answer{
      "single operations",
      fmt::format("For {:.0f}% of the critical path one operation works alone, and the next one waits "
                  "for its result: finer tiles let them overlap.",
                  100 * share)};
}

std::optional<Answer> software(const Report& report) {
  const double share = part_share(report.limits, Part::software);
  if (share < kMuchSoftware) return {};
  return Answer{"software", fmt::format("Software costs take {:.0f}% of the critical path: larger tiles need "
                                        "fewer operations.",
                                        100 * share)};
}

std::optional<Answer> idle_ranks(const Report& report) {
  if (report.idle_ranks == 0) return {};
  return Answer{"idle ranks", fmt::format("{} of {} ranks have no work: the grid leaves them out.",
                                          report.idle_ranks, report.ranks)};
}

std::optional<Answer> full_memory(const Report& report) {
  if (report.device_budget_bytes <= 0) return {};
  const double share = report.peak_device_bytes.max / static_cast<double>(report.device_budget_bytes);
  if (share < kFullMemory) return {};
  return Answer{"full memory",
                fmt::format("A device uses {:.0f}% of the memory that the plan may use.", 100 * share)};
}

constexpr Rule kRules[] = {limit,   near_bound, better_plan, uneven_devices,
                           latency, software,   idle_ranks,  full_memory};

void add_savings(const Report& report, std::vector<Answer>& answers) {
  if (!report.what_if) return;
  std::size_t count = 0;
  for (const WhatIfRow& row : report.what_if->rows) {
    if (row.saved_s < kNotableSaving * report.makespan_s || count == kMostSavings) continue;
    ++count;
    answers.push_back({"what if", fmt::format("Twice the {} saves {:.0f}% of the time.", row.resource,
                                              100 * row.saved_s / report.makespan_s)});
  }
}

}  // namespace

std::vector<Answer> answers_of(const Report& report) {
  std::vector<Answer> answers;
  for (const Rule rule : kRules) {
    if (std::optional<Answer> answer = rule(report)) answers.push_back(*std::move(answer));
  }
  add_savings(report, answers);
  return answers;
}

}  // namespace foretile
