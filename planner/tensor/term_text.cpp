// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/term_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "planner/tensor/tensor_blocks.hpp"

namespace foretile {

namespace {

bool has(const TextTensor& tensor, const TextIndex& index) {
  return std::ranges::find(tensor.indices, index.name, &TextIndex::name) != tensor.indices.end();
}

void add_index(TextLine& line, TextTensor& tensor, IndexNames names) {
  TextIndex index;
  index.column = line.column();
  index.name = names == IndexNames::words ? line.name("an index")
                                          : line.index("an index: a letter, and digits behind it");
  if (has(tensor, index))
    throw line.error(index.column, index.name + " again", "each index once in a tensor");
  tensor.indices.push_back(std::move(index));
}

}  // namespace

TextTensor read_tensor(TextLine& line, IndexNames names) {
  TextTensor tensor;
  tensor.column = line.column();
  tensor.name = line.name("a tensor, as V[a,b|c,d]");
  line.expect("[");
  while (!line.take("]")) {
    if (!tensor.upper && line.take("|")) {
      tensor.upper = tensor.indices.size();
      continue;
    }
    add_index(line, tensor, names);
    const bool more = line.take(","), ends = line.next_is("]") || (!tensor.upper && line.next_is("|"));
    if (more && ends) throw line.wrong("an index");
    if (!more && !ends && names == IndexNames::words) throw line.wrong("\",\" or \"]\"");
  }
  if (tensor.indices.size() > kMostTensorIndices)
    throw line.error(tensor.column, fmt::format("{} indices of {}", tensor.indices.size(), tensor.name),
                     fmt::format("at most {}", kMostTensorIndices));
  return tensor;
}

namespace {

void check_indices(const TextLine& line, const TermText& term) {
  const std::array<const TextTensor*, 3> all{&term.result, term.operands.data(), &term.operands[1]};
  for (const TextTensor* tensor : all) {
    for (const TextIndex& index : tensor->indices) {
      const auto count =
          std::ranges::count_if(all, [&](const TextTensor* other) { return has(*other, index); });
      if (count == 1)
        throw line.error(index.column, fmt::format("{} in {} alone", index.name, tensor->name),
                         "each index in two of the three tensors",
                         "sum over it before, or name it as in another tensor");
      if (count == 3)
        throw line.error(index.column, fmt::format("{} in all three tensors", index.name),
                         "each index in two of them", "make a term of each value of this index");
    }
  }
}

}  // namespace

TermText parse_term(std::string_view text, const std::string& where) {
  TextLine line(text, where);
  TermText term;
  term.result = read_tensor(line, IndexNames::letters);
  term.accumulate = line.take("+=");
  if (!term.accumulate && !line.take("=")) throw line.wrong("\"+=\" or \"=\"");
  if (line.next_is_number()) term.factor = line.real();
  for (int operand = 0; operand < 2; ++operand)
    term.operands.push_back(read_tensor(line, IndexNames::letters));
  if (!line.at_end()) throw line.wrong("the end of the line: a product has two tensors");
  check_indices(line, term);
  return term;
}

namespace {

std::string written(const TextTensor& tensor) {
  std::vector<std::string> upper, lower;
  for (std::size_t p = 0; p < tensor.indices.size(); ++p)
    (tensor.upper && p >= *tensor.upper ? lower : upper).push_back(tensor.indices[p].name);
  return fmt::format("{}[{}{}{}]", tensor.name, fmt::join(upper, ","), tensor.upper ? "|" : "",
                     fmt::join(lower, ","));
}

}  // namespace

std::string written(const TermText& term) {
  std::string text = fmt::format("{} {}", written(term.result), term.accumulate ? "+=" : "=");
  if (term.factor != 1) text += fmt::format(" {}", term.factor);
  for (const TextTensor& operand : term.operands) text += fmt::format(" {}", written(operand));
  return text;
}

std::vector<std::string> parse_indices(std::string_view text, const std::string& where) {
  TextLine line(text, where);
  std::vector<std::string> names;
  while (!line.at_end()) names.push_back(line.index("indices, as ab or p3p4"));
  if (names.empty()) throw line.wrong("indices, as ab or p3p4");
  return names;
}

}  // namespace foretile
