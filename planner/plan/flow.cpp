// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/flow.hpp"

#include <algorithm>

#include "planner/plan/plan.hpp"

namespace foretile {

std::size_t PlanTensors::tensor_of(TileId tile) const {
  const auto behind = std::ranges::upper_bound(list, tile, {}, &PlanTensor::first);
  return static_cast<std::size_t>(behind - list.begin()) - 1;
}

TaskWork work_of(const PlanFrame& frame, const Contraction& contraction, const FlowTask& task) {
  const PlanTensors& tensors = frame.tensors;
  const std::int64_t bytes = contraction.t_bytes(task.tensor_tile());
  TaskWork work{bytes, 0, !task.order.is_identity()};
  if (task.adds()) return work;
  const bool on_demand = tensors.list[tensors.tensor_of(task.tensor_tile())].on_demand;
  if (on_demand) work.generated_bytes = bytes;
  const bool in_place =
      task.makes_operand() && frame.operands.of(task.writes.matrix).is_in_place(task.writes.id);
  if (in_place || (on_demand && task.copies())) work.bytes = 0;
  return work;
}

}  // namespace foretile
