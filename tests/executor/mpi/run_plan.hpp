// Executes plans on the ranks of the test program.
#pragma once

#include <mpi.h>

#include <string>

#include "executor/check.hpp"
#include "executor/run.hpp"
#include "platforms/here.hpp"
#include "platforms/loader.hpp"

namespace foretile {

inline int world_size() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

inline int world_rank() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

inline Machine machine_here(std::int64_t device_bytes, int devices = 2) {
  const std::string text = estimated_here({.cores = 2, .memory_bytes = 2'000'000'000, .host = "test"});
  return make_machine(parse_platform(text, "test",
                                     {"platform.device.memory=" + std::to_string(device_bytes),
                                      "platform.socket.devices=" + std::to_string(devices)}),
                      {.nodes = {}, .ranks = world_size(), .gpus = {}});
}

struct Outcome {
  CheckResult check;
  RunResult run;
};

inline Outcome execute(const Plan& plan, const Contraction& contraction, const Machine& machine,
                       bool copies) {
  const RankPlan idle{std::vector<DevicePlan>(machine.devices_per_rank), {}};
  const RankPlan& mine = world_rank() < plan.grid.size() ? plan.ranks[world_rank()] : idle;
  RunOptions options;
  options.copies = copies;
  Outcome outcome{{}, run(plan, mine, contraction, machine, MPI_COMM_WORLD, options)};
  outcome.check = check_product(contraction, *outcome.run.host, MPI_COMM_WORLD);
  return outcome;
}

}  // namespace foretile
