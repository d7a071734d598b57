// SPDX-License-Identifier: BSD-3-Clause
// What must have happened once before time counts: CUDA loads kernels when they are first called, and idle
// GPUs run at low clocks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "executor/gpu/gpu_device.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/device_model.hpp"

namespace foretile {

/// Shapes of the products that a device may get.
struct PlanShapes {
  std::vector<ProductSize> usual;  ///< the largest one, then the most frequent ones
  /// Of those that are like none of the usual ones, the most frequent of each kind. Two shapes are of a kind
  /// where their extents have equally many binary digits and are even, or multiples of 4, alike: libraries
  /// choose kernels by such things, and load a kernel when it is first called.
  std::vector<ProductSize> rare;
};

struct MostShapes {
  std::size_t usual = 0, rare = 0;
};

PlanShapes plan_shapes(const Contraction& contraction, const PlanFrame& frame, const RankPlan& rank,
                       std::size_t device, MostShapes most);

struct WarmUp {
  ProductForm form;
  std::vector<ProductSize> shapes;
  int batch = 1;                       ///< products in a launch, beside single ones
  double seconds = 0;                  ///< at least once, and again until so much time has passed
  std::vector<ProductSize> rare = {};  ///< once, on one lane
};

/// Multiplies the shapes on all kernel lanes, one by one and in batches, and copies and makes a little, in
/// the pool's memory, where nothing may be yet. `host`: pinned memory to copy from and to. What does not fit
/// is left out. Waits for the end.
void warm_up(GpuDevice& device, Gpus& gpus, std::span<std::byte> host, const WarmUp& what);

}  // namespace foretile
