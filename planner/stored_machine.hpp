// SPDX-License-Identifier: BSD-3-Clause
// The machine for which a stored plan was made, and what a simulation predicted for it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "planner/stored_json.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// What a simulation of the plan said.
struct Prediction {
  double makespan_s = 0;
  double flops_per_s = 0;
};

struct StoredMachine {
  std::string platform_name;
  std::string platform_toml;  ///< after all --set
  MachineSize size;           ///< as the user gave it
  int ranks = 0;              ///< this and the next two: to notice a rebuild that differs
  int ranks_per_node = 0;
  int devices_per_rank = 0;
  std::string source;  ///< path of the file, for messages
};

StoredMachine stored(const Machine& machine, const MachineSize& size);

/// Throws InputError that names the file and `key` where a rebuilt plan has another number than the stored
/// one: another version of foretile made the file.
void expect_same(const std::string& source, const char* key, std::int64_t stored, std::int64_t rebuilt);

Platform stored_platform(const StoredMachine& file);
/// Throws InputError where the machine differs from the stored one.
Machine stored_machine(const StoredMachine& file);

nlohmann::ordered_json platform_json(const StoredMachine& file);
nlohmann::ordered_json machine_json(const StoredMachine& file);
nlohmann::ordered_json prediction_json(const Prediction& prediction);
void read_platform(ObjectReader reader, StoredMachine& file);
void read_machine(ObjectReader reader, StoredMachine& file);
Prediction read_prediction(ObjectReader reader);

}  // namespace foretile
