// SPDX-License-Identifier: BSD-3-Clause
// foretile simulate --coarse: how far that is from the simulation in full.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/foretile/case.hpp"
#include "apps/resources.hpp"
#include "scheduler/trace.hpp"
#include "simulator/simulated_seconds.hpp"
#include "tuner/workers.hpp"

namespace foretile {

/// When products started and ended. Those in flight at a moment count by the share of their time that is
/// over, since coarse simulations end many at once.
class ProductTimes final : public TraceSink {
 public:
  /// Hands all operations on to `next`, unless that is nullptr.
  explicit ProductTimes(TraceSink* next = nullptr) : next_(next) {}

  void record(const TraceEvent& event) override;
  /// When so many had ended; the end of the last one where there are fewer.
  double end_of(std::int64_t products) const;
  /// How many are done at that moment.
  double done_by(double seconds) const;

 private:
  struct Span {
    double start_s, end_s;
    std::int32_t products;
  };
  TraceSink* next_;
  std::vector<Span> spans_;  // by end
};

/// The beginning of a case, simulated in full.
struct FullStart {
  double seconds = 0;   ///< simulated time of this beginning
  double products = 0;  ///< done by then
  std::int64_t of = 0;  ///< products of the case
  bool is_whole() const { return products >= static_cast<double>(of); }
};

/// Simulates the beginning of a case in full, in a process of its own beside this one: the first sixteenth of
/// the products, at least `least_products` (about two seconds' worth) and eight for each device; where that
/// is half of all or more, all of them.
class FullStartRun {
 public:
  /// Starts it: do so before any simulation in this process. `options` give seed, engine and plan order.
  /// `work` must outlive this.
  FullStartRun(const PlannedWork& work, const SimulationOptions& options,
               std::int64_t least_products = 500'000);
  /// Waits for its end, until it has taken so many seconds; nothing if it takes longer. Throws what
  /// simulate() throws.
  std::optional<FullStart> result(double most_s);

 private:
  std::int64_t all_;
  Stopwatch since_start_;
  Workers workers_;
};

/// How much more time the coarse simulation takes for the same products: 0.01 is 1% more. Of the beginning
/// alone, where that is what was simulated in full: blocks that change later, and the end, may differ more.
double coarse_difference(const FullStart& full, double coarse_products, double coarse_makespan_s);

/// For people, one line.
std::string coarse_text(const FullStart& full, double difference);
/// Where the full simulation was not over.
std::string not_compared_text();

}  // namespace foretile
