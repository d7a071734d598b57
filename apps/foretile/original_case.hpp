// SPDX-License-Identifier: BSD-3-Clause
// foretile simulate PROGRAM.txt --original: a program as another library runs it.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/foretile/case.hpp"
#include "apps/foretile/molecule_sizes.hpp"
#include "planner/tensor/spin_tiles.hpp"

namespace foretile {

/// --original and what belongs to it.
struct OriginalArguments {
  std::string library;                        ///< nwchem or tamm; empty: not given
  std::vector<std::string> without;           ///< losses that are left out
  bool best_tile = false;                     ///< of TAMM
  std::string counter_time, get_rate;         ///< of NWChem, with units; empty: not given
  std::optional<MoleculeCase> molecule = {};  ///< from which the sizes were taken

  bool any() const {
    return !library.empty() || !without.empty() || best_tile || !counter_time.empty() || !get_rate.empty();
  }
  bool is_tamm() const { return library == "tamm"; }
};

void add_original_options(CLI::App& command, OriginalArguments& original);

/// Simulates the program as that library runs it, without a plan. `trace`: file to write; empty: none. Throws
/// InputError for what does not belong together.
void simulate_original_case(const CaseArguments& arguments, const ProgramSizes& sizes,
                            const OriginalArguments& original, const std::string& trace);

}  // namespace foretile
