// SPDX-License-Identifier: BSD-3-Clause
// Which GPUs a command uses.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "executor/gpu/choose_gpus.hpp"

namespace foretile {

/// `otherwise`: what auto takes where there is no GPU.
void add_gpu_option(CLI::App& command, GpuChoice& choice, const std::string& otherwise);

}  // namespace foretile
