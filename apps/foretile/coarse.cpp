// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/coarse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/quantities.hpp"
#include "base/error.hpp"
#include "planner/plan/devices.hpp"
#include "scheduler/options.hpp"

namespace foretile {

namespace {

std::int64_t devices_of(const PlannedWork& work) {
  return devices_of(work.plan, work.machine);
}

/// Products that one device multiplies at once, at most.
int most_at_once(const PlannedWork& work) {
  int most = work.plan.batch;
  for (const DeviceClass& alike : work.plan.device_classes)
    most = std::max(most, products_at_once(work.contraction, alike.cores));
  return most;
}

/// How many products are compared.
std::int64_t products_to_compare(const PlannedWork& work, std::int64_t least) {
  constexpr std::int64_t kPart = 16;
  constexpr std::int64_t kLeastPerDevice = 8;
  const std::int64_t all = work.summary.gemms;
  const std::int64_t some = std::max({all / kPart, least, kLeastPerDevice * devices_of(work)});
  return some >= all / 2 ? all : some;
}

FullStart simulated_start(const PlannedWork& work, SimulationOptions options, std::int64_t least) {
  const std::int64_t all = work.summary.gemms;
  const std::int64_t some = products_to_compare(work, least);
  options.groups = {};
  if (some == all) {
    options.trace = nullptr;
    return {simulate(work.plan, work.contraction, work.machine, options).makespan_s, static_cast<double>(all),
            all};
  }
  // Products that are in flight at that time are to end, too.
  const std::int64_t more = std::max(some / 4, most_at_once(work) * devices_of(work));
  ProductTimes times;
  options.trace = &times;
  options.stop_products = some + more;
  simulate(work.plan, work.contraction, work.machine, options);
  const double seconds = times.end_of(some);
  return {seconds, times.done_by(seconds), all};
}

}  // namespace

void ProductTimes::record(const TraceEvent& event) {
  if (event.products > 0) spans_.push_back({event.start_s, event.end_s, event.products});
  if (next_) next_->record(event);
}

double ProductTimes::end_of(std::int64_t products) const {
  std::int64_t done = 0;
  for (const Span& span : spans_) {
    done += span.products;
    if (done >= products) return span.end_s;
  }
  return spans_.empty() ? 0 : spans_.back().end_s;
}

double ProductTimes::done_by(double seconds) const {
  double done = 0;
  for (const Span& span : spans_) {
    if (span.start_s >= seconds) continue;
    const bool over = span.end_s <= seconds;
    done += span.products * (over ? 1.0 : (seconds - span.start_s) / (span.end_s - span.start_s));
  }
  return done;
}

namespace {

WorkerLimits one_long_worker() {
  constexpr double kDay_s = 86400;
  WorkerLimits limits;
  limits.workers = 1;
  limits.evaluation_s = kDay_s;
  return limits;
}

}  // namespace

FullStartRun::FullStartRun(const PlannedWork& work, const SimulationOptions& options,
                           std::int64_t least_products)
    : all_(work.summary.gemms),
      workers_(
          [&work, options, least_products](const Candidate&) {
            const FullStart start = simulated_start(work, options, least_products);
            return Outcome{Outcome::Status::done, start.seconds, {}, start.products};
          },
          one_long_worker()) {
  workers_.start({});
}

std::optional<FullStart> FullStartRun::result(double most_s) {
  std::vector<Evaluation> ended = workers_.wait(0);
  for (double left = most_s; ended.empty() && left > 0; left = most_s - since_start_.seconds())
    ended = workers_.wait(std::min(left, 1.0));
  if (ended.empty()) return std::nullopt;
  const Outcome& outcome = ended.front().outcome;
  if (outcome.status == Outcome::Status::infeasible) throw InputError(outcome.message);
  if (!outcome.done()) throw WorkError("--coarse: its difference to full: " + outcome.message);
  return FullStart{outcome.makespan_s, outcome.extra.get<double>(), all_};
}

double coarse_difference(const FullStart& full, double coarse_products, double coarse_makespan_s) {
  const double took = full.is_whole() ? coarse_makespan_s : full.products;
  const double in_full = full.is_whole() ? full.seconds : coarse_products;
  return in_full > 0 ? took / in_full - 1 : 0;
}

std::string not_compared_text() {
  return "coarse: not compared, as a simulation in full takes longer\n";
}

std::string coarse_text(const FullStart& full, double difference) {
  const std::string of =
      full.is_whole() ? fmt::format("{:.4g} s in full", full.seconds)
                      : fmt::format("in full for the first {} of {} products, which need not tell of the end",
                                    grouped(std::llround(full.products)), grouped(full.of));
  return fmt::format("coarse: {:.2f}% {} time than {}\n", 100 * std::abs(difference),
                     difference < 0 ? "less" : "more", of);
}

}  // namespace foretile
