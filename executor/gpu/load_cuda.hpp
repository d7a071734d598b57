// SPDX-License-Identifier: BSD-3-Clause
// Finds the plugin for NVIDIA GPUs, if there is one.
#pragma once

#include <memory>
#include <string>

#include "executor/gpu/gpu.hpp"

namespace foretile {

struct LoadedGpus {
  std::unique_ptr<Gpus> gpus;  ///< nullptr: none
  std::string why_not;         ///< then: why
};

/// Loads libforetile_cuda.so from the folder that the environment variable FORETILE_PLUGIN_FOLDER names, else
/// from beside the program, or from `lib/foretile` beside the program's `bin`. Never throws for want of the
/// plugin, of CUDA's libraries, of a driver or of a GPU. A plugin stays loaded until the program ends.
LoadedGpus load_cuda();

}  // namespace foretile
