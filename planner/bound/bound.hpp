// SPDX-License-Identifier: BSD-3-Clause
// Lower bounds of the time that a plan, or any plan of a problem, takes: without the simulator, in a fraction
// of a second.
#pragma once

#include <string>

#include "base/progress.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// What a bound is made of.
struct BoundWork {
  bool products = false, generation = false, copies = false, messages = false;
};

/// A time that no simulation without noise can beat.
struct Bound {
  double seconds = 0;
  std::string limit;  ///< what takes so long, for people: "messages of rank 3"; empty: there is nothing to do
  BoundWork work = {};
};

/// Of a plan that verifies. The largest of
///  - what each device has to do for one block after the other: products, copies, room for the next tiles of
///  C. Blocks of a program (PlanFrame::flows()) are done in any order: of these, products alone;
///  - the longest chain of messages, loads, products and barriers;
///  - what each rank, each node and each link has to do in all, and what must follow when that is done.
/// `progress` gets how many products it has seen.
Bound plan_bound(const Plan& plan, const Contraction& contraction, const Machine& machine,
                 const CountFunction& progress = {});

/// Of plans that distribute the tile rows of C cyclically to so many rows of ranks, and its tile columns to
/// so many columns of ranks. 1: that is open.
struct DistributionOfC {
  int rows = 1, columns = 1;
  bool partial_sums = false;  ///< a tile of C may be computed on several devices
  /// Cores of a rank that compute beside its GPUs, as one device more.
  int cores_beside = 0;
  friend bool operator==(const DistributionOfC&, const DistributionOfC&) = default;
};

/// Of any plan of the contraction on the machine that has its operands from there (`sources`), in which a
/// tile of C is computed on one device (unless the distribution says otherwise): generation, products, copies
/// and the least time of one product, from its tiles until C is written back. A plan may own A and B as it
/// likes, so that a tile which one rank needs costs no message. With a distribution, of plans that have it:
/// the row (rank) with the longest products counts, a tile of B that is generated counts in each row that has
/// a product with it, and a given tile that n rows (A: columns) need is sent and received n - 1 times.
Bound problem_bound(const Contraction& contraction, const Machine& machine, const Sources& sources,
                    const DistributionOfC& distribution = {});

struct Bounds {
  Bound plan;     ///< of this plan: the larger of both
  Bound problem;  ///< of any plan that has A and B from where this one has them
};
Bounds bounds_of(const Plan& plan, const Contraction& contraction, const Machine& machine,
                 const CountFunction& progress = {});

}  // namespace foretile
