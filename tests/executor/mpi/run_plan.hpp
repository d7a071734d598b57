// SPDX-License-Identifier: BSD-3-Clause
// Executes plans on the ranks of the test program.
#pragma once

#include <mpi.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/random.hpp"
#include "executor/check/check.hpp"
#include "executor/cpu/product_kernels.hpp"
#include "executor/gpu/load_cuda.hpp"
#include "executor/gpu/stand_in.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/run.hpp"
#include "platforms/here.hpp"
#include "platforms/loader.hpp"

namespace foretile {

inline int world_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

inline Rank world_rank() {
  return rank_in(MPI_COMM_WORLD);
}

inline Machine machine_here(std::int64_t device_bytes, int devices = 2) {
  const std::string text = estimated_here({.cores = 2, .memory_bytes = 2'000'000'000, .host = "test"});
  return make_machine(parse_platform(text, "test",
                                     {"platform.device.memory=" + std::to_string(device_bytes),
                                      "platform.socket.devices=" + std::to_string(devices)}),
                      {.nodes = {}, .ranks = world_size(), .gpus = {}});
}

struct RunOutcome {
  CheckResult check;
  RunResult run;
};

/// FORETILE_TEST_GPUS=cuda: tests run on CUDA's GPUs instead of the stand-in. Their products are rounded
/// otherwise than the CPU's.
inline bool on_cuda() {
  const char* const wanted = std::getenv("FORETILE_TEST_GPUS");
  return wanted && std::string_view(wanted) == "cuda";
}

/// A quarter of the usual number of cases with CUDA's, which take long to set up.
inline int cases(int usual) {
  return on_cuda() ? usual / 4 : usual;
}

/// The stand-in has two GPUs for all logical devices of a node, and multiplies as cores do.
inline std::unique_ptr<Gpus> test_gpus(const Contraction& contraction) {
  if (!on_cuda()) {
    return std::make_unique<StandInGpus>(
        StandInOptions{2, std::int64_t{1} << 30, true, uses_small_products(contraction)});
  }
  LoadedGpus loaded = load_cuda();
  if (!loaded.gpus) throw WorkError("FORETILE_TEST_GPUS=cuda: " + loaded.why_not);
  return std::move(loaded.gpus);
}

/// The same machine with GPUs.
inline Machine with_gpus(Machine machine, Random& random) {
  machine.platform.device.kind = DeviceKind::gpu;
  machine.platform.device.kernel.streams = static_cast<int>(random.integer(1, 4));
  machine.platform.generation_bytes_per_s_on_device = static_cast<double>(random.integer(0, 1)) * 1e9;
  return machine;
}

/// The outcome must not outlive `gpus`.
inline RunOutcome execute_on(Gpus& gpus, const Plan& plan, const Contraction& contraction,
                             const Machine& machine, std::int64_t pool_bytes,
                             const TileStorage* storage = nullptr, bool copies = false) {
  RunOptions options;
  options.gpus = &gpus;
  options.copies = copies;
  options.storage = storage;
  options.pool_bytes = pool_bytes;
  options.warm_up_s = 1e-6;  // once
  RunOutcome outcome{{}, run(plan, contraction, machine, MPI_COMM_WORLD, options)};
  outcome.check = check_product(contraction, *outcome.run.host, MPI_COMM_WORLD);
  return outcome;
}

inline RunOutcome execute(const Plan& plan, const Contraction& contraction, const Machine& machine,
                          bool copies, const TileStorage* storage = nullptr) {
  RunOptions options;
  options.copies = copies;
  options.storage = storage;
  RunOutcome outcome{{}, run(plan, contraction, machine, MPI_COMM_WORLD, options)};
  outcome.check = check_product(contraction, *outcome.run.host, MPI_COMM_WORLD);
  return outcome;
}

}  // namespace foretile
