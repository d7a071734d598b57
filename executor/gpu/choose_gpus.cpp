// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/choose_gpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "executor/gpu/kept_gpus.hpp"
#include "executor/gpu/load_cuda.hpp"
#include "executor/gpu/stand_in.hpp"
#include "platforms/here.hpp"

namespace foretile {

namespace {

/// A quarter of the machine's memory, so that what is planned for it fits beside all else.
StandInOptions stand_in() {
  StandInOptions options;
  options.memory_bytes = std::max<std::int64_t>(machine_facts().memory_bytes / 4, 1 << 20);
  return options;
}

}  // namespace

std::unique_ptr<Gpus> choose_gpus(GpuChoice choice) {
  if (choice == GpuChoice::none) return nullptr;
  if (choice == GpuChoice::stand_in) return std::make_unique<StandInGpus>(stand_in());
  LoadedGpus found = load_cuda();
  if (!found.gpus && choice == GpuChoice::cuda) {
    throw input_error("CUDA's GPUs", fmt::format("none ({})", found.why_not), "one at least",
                      "choose stand-in or none");
  }
  return std::move(found.gpus);
}

std::unique_ptr<Gpus> gpus_for(const Machine& machine, GpuChoice choice) {
  if (machine.platform.device.kind != DeviceKind::gpu) return nullptr;
  std::unique_ptr<Gpus> gpus = choose_gpus(choice == GpuChoice::automatic ? GpuChoice::cuda : choice);
  return gpus ? std::make_unique<KeptGpus>(std::move(gpus)) : nullptr;
}

GpusForPlan gpus_for_plan(GpuChoice choice) {
  if (choice != GpuChoice::automatic) return {choose_gpus(choice), choice == GpuChoice::cuda, ""};
  LoadedGpus found = load_cuda();
  if (found.gpus) return {std::move(found.gpus), true, ""};
  return {
      std::make_unique<StandInGpus>(stand_in()), false,
      fmt::format("no GPU ({}): threads of the CPU stand in for the plan's, and times say nothing about GPUs",
                  found.why_not)};
}

}  // namespace foretile
