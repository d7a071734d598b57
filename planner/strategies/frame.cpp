// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/frame.hpp"

#include <algorithm>
#include <utility>

#include "base/parse.hpp"
#include "planner/strategies/ready_order.hpp"

namespace foretile {

namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 31;
constexpr std::int64_t kMostProducts = 65536;  // of a launch: their addresses are copied to the device first

}  // namespace

std::vector<ParameterInfo> common_parameters() {
  std::vector<ParameterInfo> list{
      {"message_bytes", "16000000", "tiles for the same ranks are joined to messages up to this size",
       whole_bytes(1, kMostBytes)},
      {"copy_batch_bytes", "16000000", "neighbouring loads are joined to copies up to this size",
       whole_bytes(0, kMostBytes)},
      {"store", "at_end",
       "when finished tiles of C leave their device: at_end (of their products), or lru (oldest first, "
       "when it needs room and has no other tile that is in no use)",
       one_of({"at_end", "lru"})},
      {.key = "batch",
       .default_value = "1",
       .meaning = "products of a chunk in one launch; 1 on cores: as many as make 4 Mflop, up to 256",
       .spelling = whole_number(1, kMostProducts),
       .tries = {"1", "16", "128"},
       .for_batches = true}};
  for (ParameterInfo& parameter : ready_order_parameters()) list.push_back(std::move(parameter));
  return list;
}

Tree tree_setting(const Settings& settings) {
  const std::string& name = settings.at("tree");
  if (name == "chain") return Tree::chain;
  if (name == "scatter") return Tree::scatter;
  return name == "by_node" ? Tree::by_node : Tree::binomial;
}

PlanFrame common_frame(std::string_view strategy, const Machine& machine, const Settings& settings, int p) {
  PlanFrame frame;
  frame.strategy = strategy;
  frame.parameters = settings;
  frame.grid = {p, machine.ranks / p};
  frame.device_classes = {{.kind = machine.platform.device.kind,
                           .memory_bytes = machine.platform.device.memory_bytes,
                           .shares_memory = machine.platform.device.in_host_memory}};
  frame.host_budget_bytes = machine.host_bytes_per_rank();
  frame.batch = static_cast<int>(integer_setting(settings, "batch"));
  if (settings.at("store") == "lru") frame.store = Store::lru;
  frame.copy_batch_bytes = integer_setting(settings, "copy_batch_bytes");
  return frame;
}

std::int64_t message_bytes(const Settings& settings) {
  return integer_setting(settings, "message_bytes");
}

ParameterInfo staging_parameter() {
  return {"staging_fraction", "0.25", "share of a rank's host memory for generated tiles of B on their way",
          real_number(0, 1)};
}

std::int64_t staging_bytes(const PlanFrame& frame, const Machine& machine, const Settings& settings) {
  const std::int64_t host_bytes = std::min(frame.host_budget_bytes, machine.host_bytes_beside_devices());
  return std::min(
      static_cast<std::int64_t>(real_setting(settings, "staging_fraction") * static_cast<double>(host_bytes)),
      machine.devices_per_rank * frame.device_classes.front().memory_bytes);
}

std::vector<int> distribute_cyclic(std::int32_t count, int owners) {
  std::vector<int> owner(count);
  for (std::int32_t index = 0; index < count; ++index) owner[index] = index % owners;
  return owner;
}

}  // namespace foretile
