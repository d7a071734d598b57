// SPDX-License-Identifier: BSD-3-Clause
// How much work a term is.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "planner/tensor/labelled_tiles.hpp"
#include "planner/tensor/program.hpp"

namespace foretile {

/// A chain is all products of tiles that add to one tile of the result, before the result is antisymmetrized.
/// Of a term that is no product all are 0.
struct TermCounts {
  std::int64_t chains = 0;
  std::int64_t gemms = 0;
  double flops = 0;                                   ///< 2 m n k of each
  std::int64_t shortest = 0, longest = 0;             ///< chains, in products
  std::map<std::int64_t, std::int64_t> lengths = {};  ///< how many chains have so many products
};

/// By the rules of the Tensor Contraction Engine (Hirata, J. Phys. Chem. A 107 (2003) 9887) for a restricted
/// closed shell without spatial symmetry: upper and lower indices of each tensor have as many of either spin;
/// a tile of the result with beta alone equals the one with alpha alone and is left out; of tiles that
/// antisymmetry makes equal but for the sign, the one in increasing order stands for all. In closed form, so
/// that tiles may be as many as one likes. `tiles` by space; the term must come from parse_program(). Throws
/// InputError, which begins with `source` and the term's line, where a count is beyond 2^53.
TermCounts count_term(const ProgramTerm& term, const std::vector<LabelledTiles>& tiles,
                      const std::string& source);

/// The sum of all terms, without lengths of chains. Errors as count_term() has them.
TermCounts sum_of(const std::vector<TermCounts>& terms, const std::string& source);

}  // namespace foretile
