// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The machine for which a stored plan was made, and what a simulation predicted for it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "planner/stored_json.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// What a simulation of the plan said.
struct Prediction {
  double makespan_s = 0;   ///< predicted time, in seconds
  double flops_per_s = 0;  ///< flop of the problem over the time
};

/// The machine as plan and program files store it.
struct StoredMachine {
  std::string platform_name;  ///< as in the platform file
  std::string platform_toml;  ///< after all --set
  MachineSize size;           ///< as the user gave it
  int ranks = 0;              ///< this and the next two: to notice a rebuild that differs
  int ranks_per_node = 0;     ///< checked by stored_machine()
  int devices_per_rank = 0;   ///< checked by stored_machine()
  std::string source;         ///< path of the file, for messages
};

/// What a file says of this machine; `size` is what the user asked for.
StoredMachine stored(const Machine& machine, const MachineSize& size);

/// Throws InputError that names the file and `key` where a rebuilt plan has another number than the stored
/// one: another version of foretile made the file.
void expect_same(const std::string& source, const char* key, std::int64_t stored, std::int64_t rebuilt);

/// Parses the text of the stored platform.
Platform stored_platform(const StoredMachine& file);
/// Throws InputError where the machine differs from the stored one.
Machine stored_machine(const StoredMachine& file);

/// The part of a file that read_platform() reads.
nlohmann::ordered_json platform_json(const StoredMachine& file);
/// The part of a file that read_machine() reads.
nlohmann::ordered_json machine_json(const StoredMachine& file);
/// The part of a file that read_prediction() reads.
nlohmann::ordered_json prediction_json(const Prediction& prediction);
/// Sets name and text of the platform. Throws InputError that names the key.
void read_platform(ObjectReader reader, StoredMachine& file);
/// Sets size and numbers of ranks. Throws InputError that names the key.
void read_machine(ObjectReader reader, StoredMachine& file);
/// Throws InputError that names the key.
Prediction read_prediction(ObjectReader reader);

}  // namespace foretile
