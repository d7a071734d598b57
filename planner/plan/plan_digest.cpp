// SPDX-License-Identifier: BSD-3-Clause
#include "planner/plan/plan_digest.hpp"

#include <fmt/format.h>

#include <bit>
#include <concepts>
#include <cstdint>

namespace foretile {

namespace {

/// http://www.isthe.com/chongo/tech/comp/fnv/, over the bytes of 64-bit numbers, lowest first.
class Fnv {
 public:
  template <class... Numbers>
  void add(Numbers... numbers) {
    (add_number(static_cast<std::int64_t>(numbers)), ...);
  }
  template <class List>
  void add_all(const List& list) {
    add(list.size());
    for (const auto& number : list) add(number);
  }
  void add_bits(double number) { add_number(std::bit_cast<std::int64_t>(number)); }
  std::string text() const { return fmt::format("{:016x}", state_); }

 private:
  void add_number(std::int64_t number) {
    auto bits = static_cast<std::uint64_t>(number);
    for (int byte = 0; byte < 8; ++byte, bits >>= 8) state_ = (state_ ^ (bits & 0xff)) * 0x100000001b3ULL;
  }
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

constexpr int kPool = 0x9001;       // tells it from other numbers that are there now and then
constexpr int kOnDevices = 0x9002;  // the same

void add(Fnv& fnv, const OperandPlan& operand) {
  fnv.add(operand.source, operand.on_device, operand.distribution.kind);
  fnv.add_all(operand.distribution.owners);
  if (!operand.in_place.empty()) fnv.add_all(operand.in_place);
}

void add(Fnv& fnv, const PlanFrame& frame) {
  fnv.add(frame.grid.p, frame.grid.q, frame.grid.r, frame.lookahead, frame.host_budget_bytes,
          frame.staging_bytes, frame.copy_batch_bytes, frame.batch, frame.barriers, frame.prefetch_c);
  for (const DeviceClass& devices : frame.device_classes) {
    fnv.add(devices.kind, devices.memory_bytes);
    if (devices.cores != DeviceClass{}.cores) fnv.add(devices.cores);
  }
  add(fnv, frame.operands.a);
  add(fnv, frame.operands.b);
  add(fnv, frame.operands.c);
  if (frame.store != PlanFrame{}.store) fnv.add(frame.store);
  if (frame.partial_sums) fnv.add(frame.sum_tree);
  if (frame.pool != Pool::none) fnv.add(kPool, frame.pool);
  if (frame.messages_on_devices()) fnv.add(kOnDevices, frame.device_message_bytes);
  if (frame.sends_in_flight != PlanFrame{}.sends_in_flight) fnv.add(frame.sends_in_flight);
  if (frame.flows()) {
    fnv.add_all(frame.steps);
    fnv.add_all(frame.open_from);
    fnv.add_all(frame.tensors.owners);
    for (const PlanTensor& tensor : frame.tensors.list)
      fnv.add(tensor.first, tensor.from, tensor.end, tensor.on_demand);
  }
}

void add(Fnv& fnv, const DevicePlan& device) {
  fnv.add(device.device_class, device.blocks.size());
  for (const Block& block : device.blocks) {
    fnv.add_all(block.columns);
    fnv.add(block.chunks.size());
    for (const Chunk& chunk : block.chunks) {
      fnv.add(chunk.step);
      fnv.add_all(chunk.a);
    }
  }
}

void add(Fnv& fnv, const Transfer& transfer) {
  fnv.add(transfer.matrix, transfer.step, transfer.last_step, transfer.kind, transfer.tree);
  if (knows_nodes(transfer.tree)) fnv.add(transfer.ranks_of_node);
  fnv.add_all(transfer.tiles);
  fnv.add_all(transfer.others);
}

void add(Fnv& fnv, const Sum& sum) {
  fnv.add_all(sum.tiles);
  fnv.add_all(sum.devices);
  fnv.add_all(sum.from);
  fnv.add(sum.to ? static_cast<int>(*sum.to) : -1);
}

void add(Fnv& fnv, const FlowTask& task) {
  fnv.add(task.after, task.step, task.reads.matrix, task.reads.id, task.writes.matrix, task.writes.id);
  fnv.add_bits(task.factor);
  for (std::uint8_t axis = 0; axis < task.order.axes; ++axis) fnv.add(task.order.from.at(axis));
}

}  // namespace

std::string plan_digest(const Plan& plan) {
  Fnv fnv;
  add(fnv, plan);
  fnv.add(plan.ranks.size());
  for (const RankPlan& rank : plan.ranks) {
    fnv.add(rank.devices.size(), rank.transfers.size());
    for (const DevicePlan& device : rank.devices) add(fnv, device);
    for (const Transfer& transfer : rank.transfers) add(fnv, transfer);
    for (const Sum& sum : rank.sums) add(fnv, sum);
    for (const FlowTask& task : rank.flow.tasks) add(fnv, task);
    for (const Transfer& result : rank.flow.results) add(fnv, result);
  }
  return fnv.text();
}

}  // namespace foretile
