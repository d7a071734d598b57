// SPDX-License-Identifier: BSD-3-Clause
// A report for people.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "base/quantity.hpp"
#include "planner/plan/grid.hpp"
#include "platforms/runtime_source.hpp"
#include "platforms/units.hpp"
#include "scheduler/report/report.hpp"

namespace foretile {

namespace {

/// An operation is named from this share of its resource's time.
constexpr double kNotableOperation = 0.25;

/// Smaller shares of the path beyond the bound are not worth a word.
constexpr double kNotableRest = 0.02;

/// Savings below this share of the makespan are not worth a sentence.
constexpr double kNotableSaving = 0.01;

/// Smaller shares of the path are left out of its table: rounding errors of a sum of times.
constexpr double kShown = 1e-9;

/// A resource, as the sentence about limits names it: one part or two of one cause or several.
struct Limit {
  const char* subject;  ///< with its verb
  std::vector<Cause> causes;
  bool software;

  double seconds(const Path& path) const {
    double sum = 0;
    for (const Cause cause : causes) {
      sum += software ? path.seconds(cause, Part::software)
                      : path.seconds(cause) - path.seconds(cause, Part::software);
    }
    return sum;
  }
  bool contains(const PathOperation& operation) const {
    return !software && std::find(causes.begin(), causes.end(), operation.cause) != causes.end();
  }
};

const Limit& largest_limit(const Path& path) {
  static const std::vector<Limit> limits{
      {"multiplying on the devices takes", {Cause::kernel}, false},
      {"generation of B takes", {Cause::generate}, false},
      {"copying from host to device takes", {Cause::h2d}, false},
      {"copying between devices takes", {Cause::d2d}, false},
      {"storing C from device to host takes", {Cause::d2h}, false},
      {"sending tiles between ranks takes", {Cause::network}, false},
      {"adding parts of C takes", {Cause::combine}, false},
      {"waiting for events takes", {Cause::wait}, false},
      {"the software cost of launches takes", {Cause::kernel, Cause::generate, Cause::combine}, true},
      {"the software cost of copies takes", {Cause::h2d, Cause::d2d, Cause::d2h}, true},
      {"the software cost of messages takes", {Cause::network}, true}};
  return *std::max_element(limits.begin(), limits.end(),
                           [&](const Limit& l, const Limit& r) { return l.seconds(path) < r.seconds(path); });
}

std::string share(double fraction) {
  return fmt::format("{:.0f}%", 100 * fraction);
}

std::string in_bytes(double bytes) {
  return format_quantity(bytes, Dimension::bytes);
}

std::string in_seconds(double seconds) {
  return format_quantity(seconds, Dimension::seconds);
}

std::string in_flops(double flops_per_s) {
  return format_quantity(flops_per_s, Dimension::flops_per_s);
}

std::string spread(const Spread& s) {
  return fmt::format("{:>5} {:>5} {:>5}", share(s.min), share(s.mean), share(s.max));
}

class Lines {
 public:
  void add(std::string_view label, std::string_view value) {
    fmt::format_to(std::back_inserter(text), "  {:<22}{}\n", label, value);
  }
  std::string text;
};

/// "one tile of 525 MB on one core"
std::string operation_text(const PathOperation& operation) {
  const std::string bytes = in_bytes(static_cast<double>(operation.bytes));
  switch (operation.cause) {
    case Cause::kernel:
      return "one launch";
    case Cause::generate:
      return fmt::format("generating {}", bytes);
    case Cause::network:
      return fmt::format("one message of {}", bytes);
    case Cause::combine:
      return fmt::format("one addition of {}", bytes);
    default:
      return fmt::format("one copy of {}", bytes);
  }
}

void add_critical_path(Lines& lines, const Path& path) {
  const double total = path.total();
  if (!(total > 0)) return;
  fmt::format_to(std::back_inserter(lines.text), "\n{:<24}{:>12} {:>5} {:>12} {:>12} {:>14}\n",
                 "critical path", "time", "", "work", "software", "latency-bound");
  for (int c = 0; c < kCauses; ++c) {
    const auto cause = static_cast<Cause>(c);
    const double seconds = path.seconds(cause);
    if (!(seconds > kShown * total)) continue;
    const auto part = [&](Part p) {
      return path.seconds(cause, p) > kShown * total ? in_seconds(path.seconds(cause, p)) : std::string("-");
    };
    lines.add(kCauseNames[static_cast<std::size_t>(c)],
              fmt::format("{:>12} {:>5} {:>12} {:>12} {:>14}", in_seconds(seconds), share(seconds / total),
                          part(Part::work), part(Part::software), part(Part::latency_bound)));
  }
  if (path.longest.seconds > 0)
    lines.add("longest operation",
              fmt::format("{:>12} {:>5} {}", in_seconds(path.longest.seconds),
                          share(path.longest.seconds / total), operation_text(path.longest)));
}

void add_busy(Lines& lines, const BusyShares& busy) {
  lines.text += "\nbusy                      min  mean   max\n";
  lines.add("devices: kernels", spread(busy.kernels));
  lines.add("devices: h2d copies", spread(busy.h2d));
  lines.add("devices: d2d copies", spread(busy.d2d));
  lines.add("devices: d2h copies", spread(busy.d2h));
  if (busy.generation.max > 0) lines.add("cores: generating B", spread(busy.generation));
  if (busy.combining.max > 0) lines.add("cores: adding parts", spread(busy.combining));
  lines.add("ranks: sending", spread(busy.network));
}

/// The model's volumes beside those counted.
void add_model(Lines& lines, const Report& report) {
  if (!report.predicted) return;
  const PredictedVolumes& model = *report.predicted;
  lines.text += fmt::format("\n{:<24}{:>12} {:>12}\n", "bytes beside the model", "counted", "model");
  const auto add = [&](const char* label, std::int64_t counted, double predicted) {
    lines.add(label,
              fmt::format("{:>12} {:>12}", in_bytes(static_cast<double>(counted)), in_bytes(predicted)));
  };
  add("between ranks", report.bytes.network, model.network_bytes);
  const std::int64_t loaded = report.bytes.h2d + report.bytes.d2d;
  if (loaded > 0) add("loaded (h2d + d2d)", loaded, model.loaded_bytes);  // cores use tiles in place
  add("stored (d2h)", report.bytes.d2h, model.stored_bytes);
  lines.add("case", model.case_name());
}

void add_bytes(Lines& lines, const BytesByKind& bytes) {
  lines.text += "\nbytes\n";
  for (const auto& [label, count] : {std::pair("network", bytes.network),
                                     {"h2d", bytes.h2d},
                                     {"d2d", bytes.d2d},
                                     {"d2h", bytes.d2h},
                                     {"generated", bytes.generated}}) {
    if (count == 0 && label == std::string_view("generated")) continue;
    lines.add(label, in_bytes(static_cast<double>(count)));
  }
}

/// Of the resources tried, the one that saves most.
std::string largest_saving(const WhatIf& what_if) {
  if (what_if.rows.empty()) return "; there is no resource to make better";
  const WhatIfRow& best = what_if.rows.front();
  if (!(best.saved_s > kNotableSaving * what_if.makespan_s))
    return fmt::format("; nothing twice as good saves more than {}", share(kNotableSaving));
  return fmt::format("; {} twice as good saves most, {} of {}", best.resource, in_seconds(best.saved_s),
                     in_seconds(what_if.makespan_s));
}

/// Whether the bound counts what the cause did.
bool counts(const BoundWork& work, Cause cause) {
  switch (cause) {
    case Cause::kernel:
      return work.products;
    case Cause::generate:
      return work.generation;
    case Cause::h2d:
    case Cause::d2d:
    case Cause::d2h:
      return work.copies;
    case Cause::network:
      return work.messages;
    case Cause::combine:  // no bound counts sums
    case Cause::wait:
      break;
  }
  return false;
}

/// What the critical path has beyond the bound: "; the rest is 13.4 s of h2d and 4.18 s of d2d". The bound's
/// seconds are taken from the causes that it counts, the longest first.
std::string rest_text(const Bound& bound, const Path& path) {
  std::array<std::pair<double, Cause>, kCauses> rest;
  for (std::size_t c = 0; c < rest.size(); ++c)
    rest[c] = {path.seconds(static_cast<Cause>(c)), static_cast<Cause>(c)};
  std::sort(rest.rbegin(), rest.rend());
  double counted = bound.seconds;
  for (auto& [seconds, cause] : rest) {
    if (!counts(bound.work, cause)) continue;
    const double taken = std::min(counted, seconds);
    counted -= taken;
    seconds -= taken;
  }
  std::sort(rest.rbegin(), rest.rend());
  std::string text;
  for (const auto& [seconds, cause] : std::span(rest).first(2)) {
    if (!(seconds > kNotableRest * path.total())) continue;
    text += fmt::format("{}{} of {}", text.empty() ? "; the rest is " : " and ", in_seconds(seconds),
                        kCauseNames[static_cast<std::size_t>(cause)]);
  }
  return text;
}

}  // namespace

std::string device_messages_text(std::int64_t bytes) {
  return fmt::format("received in memory of the devices, {} of each", in_bytes(static_cast<double>(bytes)));
}

std::string energy_text(const Energy& energy) {
  return (energy.is_guess ? "about " : "") + quantity(energy.joules, "J");
}

std::string bound_text(const Bound& bound) {
  return fmt::format("{}: {}", quantity(bound.seconds, "s"), bound.limit);
}

std::string bound_text(const Bound& bound, double makespan_s) {
  if (!(bound.seconds > 0)) return "nothing to do";
  return fmt::format("{}, {} ({:.2f} times that)", in_seconds(bound.seconds), bound.limit,
                     makespan_s / bound.seconds);
}

std::string limit_sentence(const Report& report) {
  const Path& path = report.limits;
  const double total = path.total();
  if (!(total > 0)) return "nothing to do";
  const Limit& limit = largest_limit(path);
  const double seconds = limit.seconds(path);
  std::string text = fmt::format("{} {} of the critical path", limit.subject, share(seconds / total));
  if (limit.contains(path.longest) && path.longest.seconds > kNotableOperation * seconds)
    text +=
        fmt::format(", {} of it for {}", share(path.longest.seconds / seconds), operation_text(path.longest));
  const Spread& kernels = report.busy.kernels;
  if (limit.contains({Cause::kernel, 0, 0}) && kernels.min < 0.93 * kernels.max)
    text +=
        fmt::format("; devices multiply for {} to {} of the time", share(kernels.min), share(kernels.max));
  if (report.what_if) text += largest_saving(*report.what_if);
  return text;
}

std::string report_text(const Report& report) {
  Lines lines;
  lines.text = limit_sentence(report) + "\n\n";
  if (!report.plan.empty()) lines.add("plan", report.plan);
  if (!report.decision.empty()) lines.add("strategy", report.decision);
  if (report.choice) lines.add("sources", report.choice->reason());
  lines.add("makespan", in_seconds(report.makespan_s));
  if (report.energy) lines.add("energy", energy_text(*report.energy));
  if (report.bounds) {
    lines.add("bound of this plan", bound_text(report.bounds->plan, report.makespan_s) +
                                        rest_text(report.bounds->plan, report.limits));
    lines.add("bound of any plan", bound_text(report.bounds->problem, report.makespan_s));
  }
  lines.add("rate", fmt::format("{}, {} per device", in_flops(report.flops_per_s()),
                                in_flops(report.devices > 0 ? report.flops_per_s() / report.devices : 0)));
  lines.add("GEMM tasks", fmt::format("{}", report.gemms));
  lines.add("software costs", runtime_source_text(report.runtime_source));
  const std::string idle = idle_ranks_text(report.idle_ranks);
  lines.add("ranks, devices",
            fmt::format("{}, {}{}{}", report.ranks, report.devices, idle.empty() ? "" : "; ", idle));
  lines.add("peak device memory", fmt::format("{} of {}", in_bytes(report.peak_device_bytes.max),
                                              in_bytes(static_cast<double>(report.device_budget_bytes))));
  if (report.device_message_bytes > 0)
    lines.add("messages", device_messages_text(report.device_message_bytes));
  lines.add(report.b_streams ? "tiles loaded" : "tiles of A loaded",
            fmt::format("{} from host, {} from {}, {} found there, {} evicted", report.loads.host,
                        report.loads.peer,
                        report.device_message_bytes > 0 ? "messages and other devices" : "other devices",
                        report.loads.hits, report.loads.evictions));
  add_critical_path(lines, report.limits);
  add_busy(lines, report.busy);
  add_bytes(lines, report.bytes);
  add_model(lines, report);
  return lines.text;
}

}  // namespace foretile
