// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/flow.hpp"

#include <algorithm>

#include "planner/plan/plan.hpp"

namespace foretile {

std::size_t PlanTensors::tensor_of(TileId tile) const {
  const auto behind = std::ranges::upper_bound(list, tile, {}, &PlanTensor::first);
  return static_cast<std::size_t>(behind - list.begin()) - 1;
}

bool gpus_permute(const PlanFrame& frame) {
  return std::ranges::none_of(frame.device_classes, &DeviceClass::in_host_memory);
}

bool is_in_place(const PlanFrame& frame, const FlowTask& task) {
  const TileRef tile = task.adds() ? task.reads : task.writes;
  return (task.adds() || task.makes_operand()) && frame.operands.of(tile.matrix).is_in_place(tile.id);
}

TaskWork work_of(const PlanFrame& frame, const Contraction& contraction, const FlowTask& task) {
  const PlanTensors& tensors = frame.tensors;
  const std::int64_t bytes = contraction.t_bytes(task.tensor_tile());
  TaskWork work{bytes, 0, !task.order.is_identity()};
  if (is_in_place(frame, task)) work.bytes = 0;
  if (task.adds()) return work;
  const bool on_demand = tensors.list[tensors.tensor_of(task.tensor_tile())].on_demand;
  if (on_demand) work.generated_bytes = bytes;
  if (on_demand && task.copies()) work.bytes = 0;
  return work;
}

}  // namespace foretile
