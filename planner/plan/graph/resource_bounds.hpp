// What each resource has to do in all, whatever the order: lower bounds of the time of a plan.
#pragma once

#include <string>

#include "base/progress.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/machine.hpp"

namespace foretile {

struct ResourceBound {
  double seconds = 0;
  std::string resource;  ///< "software cost of messages of rank 3"; empty: nothing to do
};

/// The largest of: generation on the cores of a rank (with products, where devices are cores) or on a device;
/// of a device, the software cost of its copies, and the bytes it must load from the host and store; of a
/// rank, the software cost of its messages, and the bytes it sends. Loads that a device may be spared,
/// because it kept the tile, are not counted. `progress` gets how many products were seen.
ResourceBound largest_resource_bound(const Plan& plan, const Contraction& contraction, const Machine& machine,
                                     const CountFunction& progress = {});

/// Least time of `products` products with `work_s` of work in launches of at most PlanFrame::batch.
double least_launch_seconds(const Plan& plan, const Contraction& contraction, const Machine& machine,
                            std::int64_t products);
/// Least time of the work of one product, in a launch of its own or in one of several.
double least_work_seconds(const Plan& plan, const Contraction& contraction, const Machine& machine,
                          std::int64_t m, std::int64_t n, std::int64_t k);

/// Devices make their tiles of B themselves.
bool makes_on_device(const Machine& machine);

}  // namespace foretile
