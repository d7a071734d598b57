// SPDX-License-Identifier: BSD-3-Clause
// Problem kind "matrices": A, B and, where it is read, C are in files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/problem/kinds/dense.hpp"
#include "planner/problem/kinds/problem.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

class TableReader;

/// What a problem says of a matrix in a file. Plans and simulations need no more.
struct MatrixInput {
  std::string place;       ///< as parse_matrix_place() reads it, with an absolute path
  std::int64_t bytes = 0;  ///< of its stored elements: MatrixFacts::bytes()
  std::string digest;      ///< MatrixReader::digest()
  /// The nonzero tiles of a sparse matrix with their norms, counted from 0, of op(A) or op(B); none: all.
  std::optional<std::vector<Shape::Entry>> tiles;
};

/// op(A) is M x K, op(B) K x N, C M x N. Where there are lists of tiles, each index has a list of sizes.
struct MatricesParameters {
  DenseParameters indices;  ///< seed and accumulate mean nothing here
  MatrixInput a, b;
  std::optional<MatrixInput> c;  ///< present when beta is not 0
  bool keep_c = false;           ///< C has the tiles of the initial C alone; other products are left out
  /// The operand that is read tile by tile where it is used, and is never in memory as a whole.
  std::optional<Matrix> window = {};
};

/// Keys: those of read_tilings(), and a_file, a_bytes, a_digest, a_tiles, the same for b and c,
/// c_shape and window.
MatricesParameters read_matrices(TableReader& table);
/// The text of a problem file.
std::string matrices_problem_toml(const MatricesParameters& parameters);
/// C has the tiles of the product and those of the initial C where there is one, or only the latter.
Contraction matrices_contraction(const MatricesParameters& parameters);

/// The contraction as it is planned: strategies read tiles of B alone where they are used, so that with A as
/// the window it is transposed(). Throws InputError where that is not possible, and beside a source of B.
Contraction with_window(const TableReader& table, Contraction contraction);

/// Throws InputError unless the problem names an initial C exactly when C is read.
void check_initial_c(const TableReader& table, bool reads_c);

/// The inputs of a problem of this kind; nothing for other kinds. Throws InputError as build_contraction().
std::optional<MatricesParameters> matrices_of(const Problem& problem);

}  // namespace foretile
