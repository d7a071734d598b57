// SPDX-License-Identifier: BSD-3-Clause
// What foretile tune is asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/foretile/case.hpp"
#include "apps/foretile/molecule_sizes.hpp"
#include "apps/program_options.hpp"
#include "planner/tensor/spin_tiles.hpp"
#include "simulator/engine_choice.hpp"
#include "tuner/tune.hpp"

namespace foretile {

/// Of a program.
struct TuneProgramArguments : ProgramOptions {  // without a mode both are tried
  ProgramSizes sizes;                           ///< without a tile
  std::vector<std::int64_t> tiles;              ///< empty: proposed_tiles()
  MoleculeArguments molecule_arguments;
  std::optional<MoleculeCase> molecule;  ///< from which the sizes were taken

  ProgramSizes sizes_with(std::int64_t tile) const {
    ProgramSizes all = sizes;
    all.tile = tile;
    return all;
  }
};

struct TuneArguments : CaseArguments {
  std::vector<std::string> problems;
  std::string budget;
  std::string evaluation_limit;
  std::string output;
  std::string nodes;
  std::string goal = "time";
  EngineChoice engine = EngineChoice::automatic;  ///< fluid: what is taken is not simulated by SimGrid, too
  TuneOptions tune;
  std::optional<double> tie;  ///< else tie_of() the platform
  std::string space;
  std::string history;
  std::string start_from;
  std::vector<Evaluation> elsewhere;  // what start_from says
  TuneProgramArguments program;
};

}  // namespace foretile
