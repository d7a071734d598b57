// SPDX-License-Identifier: BSD-3-Clause
// What all kinds of `foretile problem` share: options, and writing the file.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/options.hpp"
#include "base/precision.hpp"
#include "planner/problem/kinds/molecule.hpp"
#include "planner/problem/kinds/product_keys.hpp"

namespace foretile {

struct ProblemOutput {
  std::string file;
  std::string precision{name_of(Precision::f64)};
  bool is_complex = false;
  std::optional<std::string> a_source, b_source;  ///< none: the kind's own
  std::string a_op{name_of(Op::none)}, b_op{name_of(Op::none)};
  std::optional<std::string> alpha, beta;  ///< "RE" or "RE,IM"
  std::vector<std::string> tune;           ///< "KEY=VALUE,VALUE"
  std::optional<OrbitalCounts> orbitals;   ///< of a molecule
  bool writes_sources = true;              ///< false: the kind has keys of its own for them
  Options options;
};

/// --output, --tune and --json.
void add_output_options(CLI::App& command, ProblemOutput& output);
/// These, and --op-a, --op-b, --alpha and --beta.
void add_problem_options(CLI::App& command, ProblemOutput& output);
/// --precision and --complex.
void add_element_options(CLI::App& command, ProblemOutput& output);

/// The operation named "N", "T" or "C".
Op op_named(const std::string& name);

struct DenseParameters;
/// --tile, --m-tile, --m-tiles and the same for N and K. `by_default` says what holds without any size.
void add_tile_options(CLI::App& command, DenseParameters& parameters, const std::string& by_default);
/// True when the user gave any of these.
bool has_tile_sizes(const DenseParameters& parameters);
/// Tiles of half the size for the tuner too, unless the user says what it may try.
void tune_tiles(const DenseParameters& parameters, ProblemOutput& output);

/// `toml` is the kind's text, which begins with the line of the kind. Builds the problem, so that no file is
/// left behind that `show` would refuse, and writes it to the file or stdout. Throws InputError.
void write_problem(std::string toml, const ProblemOutput& output, const std::string& kind);

}  // namespace foretile
