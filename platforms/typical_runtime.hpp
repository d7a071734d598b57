// Software costs of foretile-run for a platform file that has no table [runtime].
#pragma once

#include <string>

#include "platforms/device_model.hpp"

namespace foretile {

/// A table [runtime] with `source = "typical"`: the progress loop's times for an operation and for a tile, as
/// three calibrations measured them on another machine, of cores (docs/platforms.md, "Software costs"). With
/// GPUs the same loop books copies and messages; what the driver takes for them is in the links' latencies.
std::string typical_runtime_toml(DeviceKind kind);

}  // namespace foretile
