// SPDX-License-Identifier: BSD-3-Clause
// Extents of a program that follow from a molecule and a basis set, and the program that is named ccsd.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "planner/problem/kinds/electrons.hpp"
#include "planner/tensor/spin_tiles.hpp"

namespace foretile {

/// --xyz and what goes with it, and --integrals.
struct MoleculeArguments {
  std::string xyz = {}, basis = {}, integrals = {};
  std::int64_t charge = 0;
  bool freeze_core = false;
  bool as_exachem = false;  ///< ccsd from Cholesky vectors is ExaChem's factorization; else the lean one
};

/// Options that name files to write, and these; empty: not given.
using OutputFiles = std::vector<std::pair<const char*, std::string>>;

void add_molecule_options(CLI::App& command, MoleculeArguments& arguments);

/// What was taken from a molecule, for people and for JSON.
struct MoleculeCase {
  std::string file;
  std::int64_t atoms = 0;
  Basis basis = Basis::def2_svp;
  std::int64_t charge = 0;
  ClosedShell shell = {};
  std::int64_t vectors = 0;         ///< 0: the program has no auxiliary space
  double vectors_per_function = 0;  ///< that is assumed; 0: the user gave the vectors
};

/// Cholesky vectors of a basis function, at threshold 1e-5: 5.5 in 6-31G and 6-31+G**, 6.3 in other sets.
/// (Logs of ubiquitin-dgrtl in github.com/ExaChem/exachem, ci/reference_output: 2,333 vectors of 424
/// functions in 6-31G, 4,680 of 737 in cc-pVDZ.) There are at most as many as pairs of functions.
double vectors_per_function(Basis basis);

/// Where `problem` is "ccsd", replaces it by the path of the program for these integrals; with --xyz sets
/// occupied and virtual orbitals, and vectors where the program has an auxiliary space and none are given.
/// Nothing without --xyz. Throws InputError, also where one of the outputs is the molecule's file.
std::optional<MoleculeCase> take_molecule(const MoleculeArguments& arguments, std::string& problem,
                                          ProgramSizes& sizes, const OutputFiles& outputs);

/// Lines that end with a newline.
std::string molecule_text(const MoleculeCase& molecule);
/// {file, atoms, basis, charge, functions, electrons, frozen, occupied, virtual, vectors,
/// vectors_per_function}; the last where it was assumed.
nlohmann::ordered_json molecule_json(const MoleculeCase& molecule);

}  // namespace foretile
