// SPDX-License-Identifier: BSD-3-Clause
// Tensors with indices as text, and products of two: R[a,b|i,j] += 0.5 V[a,b|c,d] T[c,d|i,j].
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "planner/tensor/text_line.hpp"

namespace foretile {

enum class IndexNames : std::uint8_t {
  letters,  ///< a letter and the digits behind it, so that commas may be left out: V[ab|cd], T[p1p2|h1h2]
  words     ///< letters, digits and _, with commas between them
};

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

/// What stands next in the line. Throws InputError for what cannot be read, an index that is twice in it, and
/// more than eight indices.
TextTensor read_tensor(TextLine& line, IndexNames names);

struct TermText {
  TextTensor result;
  std::vector<TextTensor> operands;  ///< two
  double factor = 1;                 ///< where no number stands there
  bool accumulate = false;           ///< += instead of =
};

/// Index names are letters. Throws InputError as read_tensor(), which begins with `where` and a column, and
/// for an index that is not in exactly two of the three tensors.
TermText parse_term(std::string_view text, const std::string& where);

/// The text of a term, which parse_term() reads.
std::string written(const TermText& term);

/// The indices of a text without anything else: "ab", "p3p4". Throws InputError, which begins with `where`.
std::vector<std::string> parse_indices(std::string_view text, const std::string& where);

}  // namespace foretile
