// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "executor/mpi/communicator.hpp"
#include "executor/program/plain_program.hpp"
#include "executor/program/program_run.hpp"
#include "platforms/loader.hpp"
#include "platforms/machine.hpp"
#include "tests/planner/program/example.hpp"

namespace foretile::program_test {
namespace {

struct Mode {
  const char* name;
  Settings parameters;
  ProgramMode mode = ProgramMode::levels;
  bool makes = false;  ///< given tensors when they are needed
  DistributionChoice distribution = DistributionChoice::automatic;
  bool on_gpus = false;  ///< that threads play
  bool messages_on_gpus = false;
};

/// A sanitizer makes each take long: then those that differ most in how tiles are summed, made and sent.
#ifdef FORETILE_SANITIZED
constexpr bool kAllModes = false;
#else
constexpr bool kAllModes = true;
#endif

/// Of every third term with a product one, of every third another.
Settings own_strategies(const FusedProgram& fused) {
  Settings settings;
  for (std::size_t term = 0; term < fused.terms().size(); ++term) {
    if (fused.terms()[term].is_product() && term % 3 > 0)
      settings["strategy." + fused.program().terms[term].name] = term % 3 == 1 ? "owner-b" : "grid-3d";
  }
  return settings;
}

ProgramPlan with_messages_to_gpus(const FusedProgram& program, const std::string& platform,
                                  const ProgramPlanOptions& how) {
  const Machine machine = make_machine(load_platform(platform, {"platform.messages=device"}),
                                       {.nodes = {}, .ranks = size_of(MPI_COMM_WORLD), .gpus = {}});
  ProgramPlan plan = choose_plan(program, machine, {}, how);
  EXPECT_EQ(plan.work.plan.messages_on_devices(), machine.ranks > 1);
  return plan;
}

/// The same plan, whose sums have the same order, whatever the memory.
void expect_same_bits_with_messages_on_host(const FusedProgram& program, const ProgramRun& devices,
                                            const SeededNumbers& numbers,
                                            const MultiplicationOptions& options) {
  ProgramPlan plan = devices.plan();
  plan.work.plan.device_message_bytes = 0;
  ProgramRun host(MPI_COMM_WORLD, program, std::move(plan), options);
  host.run(numbers, true);
  EXPECT_EQ(host.digest(), devices.digest());
}

/// All tensors, in each mode.
void expect_plain_results(const Program& program, const ProgramSizes& sizes) {
  FusedProgram fused(program, sizes, "test");
  const SpinOrbitals orbitals(fused.tiles());
  const SeededNumbers numbers(orbitals, 7);
  const std::vector<PlainTensor> expected =
      rank_in(MPI_COMM_WORLD) == 0 ? plain_program(program, orbitals, numbers) : std::vector<PlainTensor>{};
  const int ranks = size_of(MPI_COMM_WORLD);
  std::vector<Mode> modes{{"pieces", {}},
                          {"of terms", own_strategies(fused)},
                          {"round-robin", {}, ProgramMode::levels, false, DistributionChoice::round_robin},
                          {"flow", {}, ProgramMode::flow},
                          {"made", {}, ProgramMode::levels, true},
                          {"flow, made", {}, ProgramMode::flow, true}};
  if (kAllModes) {
    modes.insert(
        modes.end(),
        {{"chain", {{"strategy", "grid-3d"}, {"grid", fmt::format("{}x1x1", ranks)}}},
         {"owner", {{"strategy", "owner-b"}}},
         {"chosen", {{"strategy", "auto"}}},
         {"gpus", {}, ProgramMode::levels, false, DistributionChoice::automatic, true},
         {"one piece", {{"chain_pieces", "1"}}},
         {"flow, round-robin", {}, ProgramMode::flow, false, DistributionChoice::round_robin},
         {"flow in one piece", {{"chain_pieces", "1"}}, ProgramMode::flow},
         {"flow, owner", {{"strategy", "owner-b"}}, ProgramMode::flow},
         {"flow, of terms", own_strategies(fused), ProgramMode::flow},
         {"flow, chosen", {{"strategy", "auto"}}, ProgramMode::flow},
         {"flow, owner, made", {{"strategy", "owner-b"}}, ProgramMode::flow, true},
         {"flow on gpus", {}, ProgramMode::flow, false, DistributionChoice::automatic, true},
         {"messages to gpus", {}, ProgramMode::levels, false, DistributionChoice::automatic, true, true},
         {"flow, messages to gpus", {}, ProgramMode::flow, false, DistributionChoice::automatic, true, true},
         {"owner, made", {{"strategy", "owner-b"}}, ProgramMode::levels, true}});
  }
  if (ranks % 2 == 0)
    modes.push_back({"tree", {{"strategy", "grid-3d"}, {"grid", fmt::format("{}x1x2", ranks / 2)}}});
  for (const Mode& mode : modes) {
    SCOPED_TRACE(testing::Message() << mode.name << ", tiles of " << sizes.tile);
    MultiplicationOptions options;
    options.parameters = mode.parameters;
    options.bind = false;
    if (mode.on_gpus) {
      options.platform = "newriver";
      options.gpus = GpuChoice::stand_in;
    }
    ProgramPlanOptions how{mode.mode, mode.distribution, {}};
    for (const ProgramTensor& tensor : fused.tensors()) {
      if (mode.makes && tensor.role == TensorRole::given) how.on_demand.push_back(text_of(tensor, program));
    }
    ProgramRun run =
        mode.messages_on_gpus
            ? ProgramRun(MPI_COMM_WORLD, fused, with_messages_to_gpus(fused, options.platform, how), options)
            : ProgramRun(MPI_COMM_WORLD, fused, options, how);
    const ProgramReport report = run.run(numbers, true);
    if (mode.messages_on_gpus) expect_same_bits_with_messages_on_host(fused, run, numbers, options);
    EXPECT_EQ(report.sent_bytes, run.plan().sent_bytes());
    EXPECT_EQ(report.times.step_ends_s.size(), run.plan().steps.size());
    EXPECT_TRUE(std::ranges::is_sorted(report.times.step_ends_s));
    for (std::size_t t = 0; t < fused.tensors().size(); ++t) {
      if (run.plan().distribution.is_on_demand(t) || fused.tensors()[t].rules.slice) continue;
      const std::vector<double> found = run.gathered(t);
      if (rank_in(MPI_COMM_WORLD) != 0) continue;
      ASSERT_EQ(found.size(), expected[t].values.size());
      EXPECT_LE(largest_error(found, expected[t]), kLargestError) << text_of(fused.tensors()[t], program);
    }
  }
}

/// The 41 terms of the doubles residual. With a sanitizer, in the larger tiles alone: they have fewer tasks.
TEST(Programs, AreThoseOfAPlainEvaluation) {
#ifndef FORETILE_SANITIZED
  expect_plain_results(ccsd_t2(), {4, 6, 2});
#endif
  expect_plain_results(ccsd_t2(), {4, 6, 3});
}

/// Without spins and symmetries.
TEST(Programs, OfSpatialOrbitalsAreThoseOfAPlainEvaluation) {
  expect_plain_results(load_program(find_data("examples/ccd_closed_shell.txt")), {3, 5, 2});
}

/// Tasks that GPUs carry out when they load or store a tile.
template <class Wanted>
std::int64_t permuted_by_gpus(const ProgramPlan& plan, const Wanted& wanted) {
  std::int64_t count = 0;
  for (const RankPlan& rank : plan.work.plan.ranks) {
    count += std::ranges::count_if(rank.flow.tasks, [&](const FlowTask& task) {
      return wanted(task) && !task.copies() && is_in_place(plan.work.plan, task);
    });
  }
  return count;
}

/// Stores of X, loads of others.
TEST(Programs, OfCholeskyVectorsArePermutedByGpus) {
  const Machine machine =
      make_machine(load_platform("newriver"), {.nodes = {}, .ranks = size_of(MPI_COMM_WORLD), .gpus = {}});
  const FusedProgram lean(load_program(find_data("examples/cholesky_ccsd_lean.txt")),
                          {.occupied = 3, .virtuals = 4, .tile = 2, .vectors = 9, .vector_tile = 5}, "test");
  const ProgramPlan plan = choose_plan(lean, machine, {}, {});
  EXPECT_GT(permuted_by_gpus(plan, [](const FlowTask& task) { return task.adds(); }), 0);
  EXPECT_GT(permuted_by_gpus(plan, [](const FlowTask& task) { return task.makes_operand(); }), 0);
}

/// With an auxiliary space, without halves; one with its largest intermediate in slices.
TEST(Programs, OfCholeskyVectorsAreThoseOfAPlainEvaluation) {
  for (const auto& [example, slices] :
       {std::pair("examples/cholesky_ccsd.txt", 1), {"examples/cholesky_ccsd_lean.txt", 3}})
    expect_plain_results(
        load_program(find_data(example)),
        {.occupied = 3, .virtuals = 4, .tile = 2, .vectors = 9, .vector_tile = 5, .slices = slices});
}

/// Nothing of a run is left in the next.
TEST(Programs, RunTwiceAlike) {
  const FusedProgram fused(ccsd_t2(), {2, 4, 2}, "test");
  const SpinOrbitals orbitals(fused.tiles());
  const SeededNumbers numbers(orbitals, 7);
  MultiplicationOptions options;
  options.bind = false;
  ProgramRun run(MPI_COMM_WORLD, fused, options, {});
  run.run(numbers, false);
  const std::string first = run.digest();
  run.run(numbers, false);
  EXPECT_EQ(run.digest(), first);
}

}  // namespace
}  // namespace foretile::program_test
