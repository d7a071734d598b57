// SPDX-License-Identifier: BSD-3-Clause
#include "planner/stored_machine.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "platforms/loader.hpp"

namespace foretile {

StoredMachine stored(const Machine& machine, const MachineSize& size) {
  return {machine.platform.name,  machine.platform.toml,    size, machine.ranks,
          machine.ranks_per_node, machine.devices_per_rank, {}};
}

void expect_same(const std::string& source, const char* key, std::int64_t stored, std::int64_t rebuilt) {
  if (stored == rebuilt) return;
  throw input_error(fmt::format("{}: {}", source, key), fmt::format("{}", stored),
                    fmt::format("{}, as the rebuilt plan has", rebuilt),
                    "another version of foretile made this file; plan again");
}

Platform stored_platform(const StoredMachine& file) {
  return parse_platform(file.platform_toml, file.source + ": platform.toml");
}

Machine stored_machine(const StoredMachine& file) {
  Machine machine = make_machine(stored_platform(file), file.size);
  expect_same(file.source, "machine.ranks", file.ranks, machine.ranks);
  expect_same(file.source, "machine.ranks_per_node", file.ranks_per_node, machine.ranks_per_node);
  expect_same(file.source, "machine.devices_per_rank", file.devices_per_rank, machine.devices_per_rank);
  return machine;
}

namespace {

nlohmann::ordered_json size_json(const MachineSize& size) {
  auto json = nlohmann::ordered_json::object();
  if (size.nodes) json["nodes"] = *size.nodes;
  if (size.ranks) json["ranks"] = *size.ranks;
  if (size.gpus) json["gpus"] = *size.gpus;
  return json;
}

MachineSize read_size(ObjectReader reader) {
  MachineSize size;
  if (reader.has("nodes")) size.nodes = reader.count("nodes");
  if (reader.has("ranks")) size.ranks = reader.count("ranks");
  if (reader.has("gpus")) size.gpus = reader.count("gpus");
  reader.refuse_other_keys();
  return size;
}

}  // namespace

nlohmann::ordered_json platform_json(const StoredMachine& file) {
  return {{"name", file.platform_name}, {"toml", file.platform_toml}};
}

nlohmann::ordered_json machine_json(const StoredMachine& file) {
  return {{"size", size_json(file.size)},
          {"ranks", file.ranks},
          {"ranks_per_node", file.ranks_per_node},
          {"devices_per_rank", file.devices_per_rank}};
}

nlohmann::ordered_json prediction_json(const Prediction& prediction) {
  return {{"makespan_s", prediction.makespan_s}, {"flops_per_s", prediction.flops_per_s}};
}

void read_platform(ObjectReader reader, StoredMachine& file) {
  file.platform_name = reader.text("name");
  file.platform_toml = reader.text("toml");
  reader.refuse_other_keys();
}

void read_machine(ObjectReader reader, StoredMachine& file) {
  file.size = read_size(reader.object("size"));
  file.ranks = reader.count("ranks");
  file.ranks_per_node = reader.count("ranks_per_node");
  file.devices_per_rank = reader.count("devices_per_rank");
  reader.refuse_other_keys();
}

Prediction read_prediction(ObjectReader reader) {
  const Prediction prediction{reader.not_negative("makespan_s"), reader.not_negative("flops_per_s")};
  reader.refuse_other_keys();
  return prediction;
}

}  // namespace foretile
