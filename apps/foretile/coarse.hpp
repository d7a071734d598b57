// SPDX-License-Identifier: BSD-3-Clause
// foretile simulate --coarse: how far that is from the simulation in full.
#pragma once

#include <cstdint>
#include <string>

#include "apps/foretile/case.hpp"
#include "scheduler/trace.hpp"
#include "simulator/simulated_seconds.hpp"

namespace foretile {

/// How many products are done at a moment. Those in flight then count by the share of their time that is
/// over, since coarse simulations end many at once.
class DoneBy final : public TraceSink {
 public:
  /// Hands all operations on to `next`, unless that is nullptr.
  DoneBy(double seconds, TraceSink* next) : seconds_(seconds), next_(next) {}

  void record(const TraceEvent& event) override;
  double products() const { return products_; }

 private:
  double seconds_;
  TraceSink* next_;
  double products_ = 0;
};

/// The beginning of a case, simulated in full.
struct FullStart {
  double seconds = 0;   ///< simulated time of this beginning
  double products = 0;  ///< done by then
  std::int64_t of = 0;  ///< products of the case
  bool is_whole() const { return products >= static_cast<double>(of); }
};

/// The first sixteenth of the products, at least `least_products` (about two seconds' worth) and eight for
/// each device; where that is half of all or more, all of them. In a process of its own: call it before any
/// simulation in this process. `options` give seed, engine and plan order. Throws what simulate() throws.
FullStart simulate_start_in_full(const PlannedWork& work, const SimulationOptions& options,
                                 std::int64_t least_products = 500'000);

/// How much more time the coarse simulation takes for the same products: 0.01 is 1% more. Of the beginning
/// alone, where that is what was simulated in full: blocks that change later, and the end, may differ more.
double coarse_difference(const FullStart& full, double coarse_products, double coarse_makespan_s);

/// For people, one line.
std::string coarse_text(const FullStart& full, double difference);

}  // namespace foretile
