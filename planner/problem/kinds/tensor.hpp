// SPDX-License-Identifier: BSD-3-Clause
// Problem kind "tensor": one product of two tensors, fused to matrices (docs/problems.md).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/problem/contraction.hpp"
#include "planner/problem/kinds/problem.hpp"
#include "planner/tensor/fusion.hpp"
#include "planner/tensor/labelled_tiles.hpp"
#include "planner/tensor/tensor_term.hpp"

namespace foretile {

class TableReader;

/// All indices that begin with one of the letters. Tiles are given by one of `tiles`, `tile` and `sizes`, or
/// by TensorParameters::tile.
struct IndexTiles {
  std::string letters;
  std::int64_t extent = 0;           ///< of each spin; 0 where `sizes` say it
  std::int64_t tiles = 0;            ///< so many, made even
  std::int64_t tile = 0;             ///< as few as are at most so large, made even
  std::vector<std::int64_t> sizes;   ///< these
  bool spin = false;                 ///< each tile is there twice, alpha and beta
  std::vector<std::int64_t> irreps;  ///< of each tile of one spin; empty: no point group
};

/// What is special about one of the two operands.
struct OperandTraits {
  std::string name;
  std::vector<std::string> antisymmetric;  ///< groups of indices, as "ab": one block stands for all orders
  double density = 1;                      ///< stored elements that are kept, over all
  std::optional<std::vector<std::vector<double>>> blocks;  ///< these alone: a tile of each index, and a norm
  bool generated = false;                                  ///< where it is used; else given
};

struct TensorParameters {
  std::string term;  ///< parse_term()
  std::vector<IndexTiles> indices;
  std::vector<OperandTraits> operands;
  std::int64_t tile = 0;      ///< of indices that say nothing else; 0: not given
  bool closed_shell = false;  ///< blocks of beta alone equal those of alpha alone
  double c_threshold = 0;
  std::uint64_t seed = 1;  ///< of densities and of the numbers in the tiles
};

/// Whether the text has letters alone, and one at least.
bool are_letters(std::string_view text);
/// Letters, digits and _, a letter first.
bool is_tensor_name(std::string_view text);

/// Keys: term, tile, closed_shell, c_threshold, seed, and tables [[index]] and [[operand]]. Throws
/// InputError.
TensorParameters read_tensor(TableReader& table);
/// The text of a problem file.
std::string tensor_problem_toml(const TensorParameters& parameters);
Contraction tensor_contraction(const TensorParameters& parameters);

/// How the tensors become matrices.
struct TensorFusion {
  TensorTerm term;
  Fusion fusion;
  /// Of A, B and C: elements of tiles that are not as the matrix needs them, and of all tiles.
  std::array<double, 3> permuted{}, elements{};
  std::array<std::int64_t, 2> blocks{}, stored_elements{};  ///< of A and B
};

/// Nothing for problems of other kinds. Throws InputError as build_contraction().
std::optional<TensorFusion> fusion_of(const Problem& problem);

}  // namespace foretile
