// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Which GPUs are used: NVIDIA's, or threads that play them.
#pragma once

#include <memory>
#include <string>

#include "executor/gpu/gpu.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Which GPUs a program uses.
enum class GpuChoice {
  automatic,  ///< CUDA's if there are any, else none
  cuda,       ///< CUDA's; an error where there are none
  stand_in,   ///< threads of the CPU that play one
  none        ///< cores stand for them
};

/// Null where none are wanted or, with `automatic`, there are none. Throws InputError when CUDA's are wanted
/// and there are none, saying why.
std::unique_ptr<Gpus> choose_gpus(GpuChoice choice);

/// For a machine's devices; null: cores are the devices, or stand for them. `automatic`: CUDA's. What they
/// keep stays for the next run.
std::unique_ptr<Gpus> gpus_for(const Machine& machine, GpuChoice choice);

/// GPUs for a plan, and why they are these.
struct GpusForPlan {
  std::unique_ptr<Gpus> gpus;  ///< null: cores stand for the devices
  bool cuda = false;           ///< they have memory of their own; else device memory is host memory
  std::string note;            ///< why it is not CUDA's although that was not asked for; mostly empty
};

/// For a plan for GPUs: with `automatic`, the stand-in where there are none.
GpusForPlan gpus_for_plan(GpuChoice choice);

}  // namespace foretile
