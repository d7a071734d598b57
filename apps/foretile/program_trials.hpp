// SPDX-License-Identifier: BSD-3-Clause
// What one trial of foretile tune does with a program: plan it with tiles and a mode on some nodes, and
// simulate.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "apps/foretile/tune_arguments.hpp"
#include "planner/program/plan_in_slices.hpp"
#include "planner/program/program_file.hpp"
#include "planner/tensor/fused_program.hpp"
#include "platforms/machine.hpp"
#include "tuner/program_search.hpp"
#include "tuner/space.hpp"

namespace foretile {

class ProgramTrials {
 public:
  /// `arguments` must outlive this. Warns of doubtful figures of the platform. Throws InputError.
  explicit ProgramTrials(const TuneArguments& arguments);

  /// Those that the user names, else some that are likely to be good. Throws InputError where there are none.
  std::vector<std::int64_t> tiles() const;
  /// To be tried with tiles of this size.
  std::vector<std::string> modes(std::int64_t tile);
  /// What all trials with tiles of this size need: processes that begin behind it inherit it.
  void prepare(std::int64_t tile) { with_tile(tile); }

  ProgramTrial operator()(const ProgramCandidate& candidate, bool simulates);
  /// Throws as plan_in_slices() and choose_plan().
  SlicedPlan plan(const ProgramCandidate& candidate);
  ProgramFile file_of(const ProgramTrial& trial, const SlicedPlan& planned);

  /// A history holds only for runs that ask the same.
  nlohmann::json identity(const Space& space) const;
  Machine machine_of(int nodes) const;
  const Platform& platform() const { return platform_; }

 private:
  std::string sizes_text() const;
  MachineSize size_of(int nodes) const;
  const FusedProgram& with_tile(std::int64_t tile);
  std::shared_ptr<const FusedProgram> with_sizes(const ProgramSizes& sizes);
  void simulate(const PlannedWork& work, ProgramTrial& trial) const;

  const TuneArguments& arguments_;
  const TuneProgramArguments& of_;
  Platform platform_;
  /// By tile and slices.
  std::map<std::pair<std::int64_t, int>, std::shared_ptr<const FusedProgram>> programs_;
};

}  // namespace foretile
