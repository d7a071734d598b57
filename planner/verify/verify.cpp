// SPDX-License-Identifier: BSD-3-Clause
#include "planner/verify/verify.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "planner/verify/pass.hpp"

namespace foretile {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The proofs, each timed.
class Passes {
 public:
  explicit Passes(const VerifyView& view) {
    add("counts", counts_pass, view);
    add("steps", steps_pass, view);
    add("generated once", generated_once_pass, view);
    add("products once", products_pass, view);
    add("sources", sources_pass, view);
    add("sums", sums_pass, view);
    add("flow", flow_pass, view);
    add("device memory", device_memory_pass, view);
    add("messages on devices", device_messages_pass, view);
    add("host memory", host_memory_pass, view);
    add("no cycle", acyclic_pass, view);
  }

  void each(const PassCall& call) {
    for (std::size_t n = 0; n < passes_.size(); ++n) {
      const auto start = Clock::now();
      call(*passes_[n]);
      times_[n].seconds += seconds_since(start);
    }
  }
  const std::vector<PassTime>& times() const { return times_; }
  double seconds() const {
    double sum = 0;
    for (const PassTime& time : times_) sum += time.seconds;
    return sum;
  }

 private:
  void add(const char* name, Pass (*make)(const VerifyView&), const VerifyView& view) {
    const auto start = Clock::now();
    passes_.push_back(make(view));
    times_.push_back({name, seconds_since(start)});
  }

  std::vector<Pass> passes_;
  std::vector<PassTime> times_;
};

}  // namespace

PlanSummary verify(const Plan& plan, const Contraction& contraction, const CountFunction& progress) {
  std::vector<PassTime> times;
  auto start = Clock::now();
  const auto note = [&](const char* name, double of_others) {
    times.push_back({name, seconds_since(start) - of_others});
    start = Clock::now();
  };
  check_frame(plan, contraction);
  note("frame", 0);
  const VerifyView view(plan, contraction);
  note("messages", 0);
  Passes passes(view);
  const double before_s = passes.seconds();
  start = Clock::now();
  walk_plan(
      view, [&](const PassCall& call) { passes.each(call); }, progress);
  note("blocks", passes.seconds() - before_s);
  PlanSummary summary;
  passes.each([&](VerifyPass& pass) { pass.finish(summary); });
  summary.passes = std::move(times);
  summary.passes.insert(summary.passes.end(), passes.times().begin(), passes.times().end());
  return summary;
}

}  // namespace foretile
