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

/// Shapes of the products that the device may get: the largest one, then the most frequent ones, `most` in
/// all.
std::vector<ProductSize> usual_shapes(const Contraction& contraction, const PlanFrame& frame,
                                      const RankPlan& rank, std::size_t device, std::size_t most);

struct WarmUp {
  ProductForm form;
  std::vector<ProductSize> shapes;
  int batch = 1;       ///< products in a launch, beside single ones
  double seconds = 0;  ///< at least once, and again until so much time has passed
};

/// Multiplies all shapes on all kernel lanes, one by one and in batches, and copies and makes a little, in
/// the pool's memory, where nothing may lie yet. `host`: pinned memory to copy from and to. What does not fit
/// is left out. Waits for the end.
void warm_up(GpuDevice& device, Gpus& gpus, std::span<std::byte> host, const WarmUp& what);

}  // namespace foretile
