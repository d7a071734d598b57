// Which GPUs a command uses.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "executor/gpu/gpu.hpp"

namespace foretile {

enum class GpuChoice {
  automatic,  ///< CUDA's if there are any, else none
  cuda,
  stand_in,  ///< threads of the CPU that play one
  none
};

void add_gpu_option(CLI::App& command, GpuChoice& choice);

/// Null where none are wanted or, with `automatic`, there are none. Throws InputError when CUDA's are wanted
/// and there are none, saying why.
std::unique_ptr<Gpus> choose_gpus(GpuChoice choice);

}  // namespace foretile
