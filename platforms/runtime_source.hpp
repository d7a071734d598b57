// SPDX-License-Identifier: BSD-3-Clause
// Whose software costs a platform file gives, and those of foretile-run for a file that has no table
// [runtime].
#pragma once

#include <string>
#include <vector>

#include "platforms/device_model.hpp"

namespace foretile {

/// Values of `runtime.source`: "paper", the runtime of the paper whose times the costs were fitted to;
/// "foretile-run", its own costs as `foretile-run calibrate` measures them; "typical", those of
/// typical_runtime_toml(); "none", no software costs.
const std::vector<std::string>& runtime_sources();

/// The source for people: "those of foretile-run".
std::string runtime_source_text(const std::string& source);

/// A table [runtime] with `source = "typical"`: the progress loop's times for an operation and for a tile, as
/// three calibrations measured them on another machine, of cores (docs/platforms.md, "Software costs"). With
/// GPUs the same loop books copies and messages; what the driver takes for them is in the links' latencies.
std::string typical_runtime_toml(DeviceKind kind);

}  // namespace foretile
