// SPDX-License-Identifier: BSD-3-Clause
// The machine that the program runs on, as a platform.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platforms/platform.hpp"

namespace foretile {

/// What can be learnt without measuring.
struct MachineFacts {
  int cores = 1;                  ///< that this process may use
  std::int64_t memory_bytes = 0;  ///< installed
  std::string host;               ///< its name
};

MachineFacts machine_facts();

/// What the environment variable FORETILE_MEMORY says that this machine has, for virtual ones that report
/// more only when it is used. Throws InputError.
std::optional<std::int64_t> said_memory_bytes();

/// Where calibration keeps its result: here.toml in the user's configuration folder.
std::filesystem::path here_file();

/// What such files say of `socket.memory` (a comment, which a value of --set does not have).
inline constexpr const char* kShareOfInstalled = "four fifths of what is installed";

/// A platform file guessed from the facts: one socket, cores as devices, four fifths of the memory usable and
/// half of that as the devices' budgets. Its rates are guesses; it says `estimated = true`.
std::string estimated_here(const MachineFacts& facts);

/// The calibrated file if there is one, else the estimate, of `cores` or those that this process may use.
/// Throws InputError as parse_platform does.
Platform here_platform(const std::vector<std::string>& settings = {}, std::optional<int> cores = {});

}  // namespace foretile
