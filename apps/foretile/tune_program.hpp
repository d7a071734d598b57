// SPDX-License-Identifier: BSD-3-Clause
// foretile tune PROGRAM.txt: how many nodes, which tiles and which mode for a program of contractions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/foretile/case.hpp"
#include "apps/foretile/program_case.hpp"
#include "tuner/tie.hpp"

namespace foretile {

struct TuneProgramArguments : CaseArguments {
  std::int64_t occupied = 0, virtuals = 0;
  std::vector<std::int64_t> tiles;     ///< empty: proposed_tiles()
  std::string mode;                    ///< empty: both
  std::vector<std::string> on_demand;  ///< ProgramArguments::on_demand
  std::string distribution;            ///< ProgramArguments::distribution
  std::string nodes;                   ///< a number, or a range; empty: one node
  std::optional<double> budget_s;
  std::uint64_t seed = 1;
  EngineChoice engine = EngineChoice::automatic;  ///< fluid: what is taken is not simulated by SimGrid, too
  std::optional<double> tie;                      ///< else tie_of() the platform
  std::string output;                             ///< plan file of what is taken; empty: none
};

/// Tries, prints. Throws InputError, and WorkError where nothing fits.
void tune_program_case(const TuneProgramArguments& arguments);

}  // namespace foretile
