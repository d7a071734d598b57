// SPDX-License-Identifier: BSD-3-Clause
// What foretile tune prints of a program beside its trials: the molecule, the memory, ExaChem's times.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/foretile/tune_arguments.hpp"
#include "platforms/machine.hpp"
#include "tuner/program_search.hpp"

namespace foretile {

/// The molecule, the program and its memory with these tiles; empty without a molecule.
std::string head_text(const TuneArguments& arguments, std::int64_t tile);

/// An iteration as ExaChem runs it on so many nodes, with its best tile.
struct ExachemTime {
  int nodes = 1;
  std::int64_t tile = 0;
  double seconds = 0;
};

/// On the nodes of each answer of the tuning, by simulate_tamm() of examples/cholesky_ccsd.txt. Empty where
/// the program is not Cholesky CCSD, or the platform lacks a rate of [tamm].
std::vector<ExachemTime> exachem_times(const TuneArguments& arguments, const ProgramTuning& tuning,
                                       const Platform& platform);

/// A line; empty without times.
std::string exachem_text(const std::vector<ExachemTime>& times, const ProgramTuning& tuning);
/// [{nodes, tile, makespan_s}]
nlohmann::ordered_json exachem_json(const std::vector<ExachemTime>& times);

}  // namespace foretile
