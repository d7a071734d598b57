// SPDX-License-Identifier: BSD-3-Clause
// A product of two tensors as text: R[a,b|i,j] += 0.5 V[a,b|c,d] T[c,d|i,j].
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretile {

/// An index is a letter and the digits behind it, so that commas may be left out: V[ab|cd], T[p1p2|h1h2].
struct TextIndex {
  std::string name;
  int column = 0;
};

struct TextTensor {
  std::string name;
  std::vector<TextIndex> indices;
  std::optional<std::size_t> upper;  ///< how many stand before |; none: there is no |
  int column = 0;
};

struct TermText {
  TextTensor result;
  std::vector<TextTensor> operands;  ///< two
  double factor = 1;                 ///< where no number stands there
  bool accumulate = false;           ///< += instead of =
};

/// Throws InputError, which begins with `where` and a column: for what cannot be read, an index that is twice
/// in a tensor or not in exactly two of the three, and a tensor with more than eight indices.
TermText parse_term(std::string_view text, const std::string& where);

/// The text of a term, which parse_term() reads.
std::string written(const TermText& term);

/// The indices of a text without anything else: "ab", "p3p4". Throws InputError, which begins with `where`.
std::vector<std::string> parse_indices(std::string_view text, const std::string& where);

}  // namespace foretile
