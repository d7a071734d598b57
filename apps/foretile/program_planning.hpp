// SPDX-License-Identifier: BSD-3-Clause
// Plans a program on one machine after the other.
#pragma once

#include <map>
#include <string>

#include "base/settings.hpp"
#include "planner/program/choose_plan.hpp"
#include "planner/program/plan_in_slices.hpp"
#include "planner/program/program_file.hpp"
#include "planner/tensor/program.hpp"
#include "planner/tensor/spin_tiles.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// What a program's plan is made from, but for the machine.
class ProgramPlanning {
 public:
  /// As it is asked for. `source`: where the program is from, for messages.
  ProgramPlanning(Program program, std::string source, const ProgramSizes& sizes, Settings settings,
                  ProgramPlanOptions options);
  /// With the file's sizes, parameters and tensors on demand. Owners of blocks are chosen again, where they
  /// were.
  explicit ProgramPlanning(const ProgramFile& file);

  /// plan_in_slices() by choose_plan(). Throws as these.
  SlicedPlan plan(const Machine& machine) const;

  /// Plans of other machines have the strategies that terms have in this plan: a comparison is not made
  /// again. Where blocks round-robin won it, they stay so.
  void keep_choices(const FusedProgram& program, const ProgramPlan& plan);

 private:
  Program program_;
  std::string source_;
  ProgramSizes sizes_;
  Settings settings_;
  ProgramPlanOptions options_;
  std::map<std::string, std::string> strategies_;  // by term
};

}  // namespace foretile
