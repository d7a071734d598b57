// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/program_tensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "planner/tensor/exchange_symmetry.hpp"
#include "planner/tensor/spin_sums.hpp"

namespace foretile {

namespace {

IndexList spaces_of(const TensorUse& use) {
  IndexList spaces;
  for (const TermIndex& index : use.indices) spaces.push_back(index.space);
  return spaces;
}

/// Positions of one half and one space.
std::vector<IndexList> groups_of(const IndexList& spaces, std::size_t upper) {
  std::map<std::pair<bool, std::size_t>, IndexList> groups;
  for (std::size_t p = 0; p < spaces.size(); ++p) groups[{p >= upper, spaces[p]}].push_back(p);
  std::vector<IndexList> list;
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  return list;
}

TensorRules rules_of(const TensorUse& use) {
  const IndexList spaces = spaces_of(use);
  if (!use.spatial) return {spaces, use.upper(), groups_of(spaces, use.upper()), true};
  std::vector<IndexList> alone;
  for (std::size_t p = 0; p < spaces.size(); ++p) alone.push_back({p});
  return {spaces, use.upper(), alone, false};
}

ProgramTensor program_tensor(const TensorUse& use, const Program& program) {
  ProgramTensor tensor{use.tensor, rules_of(use), TensorRole::intermediate};
  const TensorDeclaration* const declared = program.declared(use.tensor);
  if (!declared) return tensor;
  tensor.role = declared->role;
  tensor.rules.mirror = declared->mirror;
  tensor.rules.slice = declared->slice;
  return tensor;
}

bool is_same(const ProgramTensor& tensor, const TensorUse& use) {
  return tensor.name == use.tensor && tensor.rules.spaces == spaces_of(use);
}

/// Numbers indices by their names as they come.
class Numbering {
 public:
  explicit Numbering(TensorTerm& term) : term_(term) {}

  IndexedTensor numbered(const TensorUse& use) {
    const TensorRules rules = rules_of(use);
    IndexedTensor tensor{use.tensor, {}, rules.upper, rules.groups};
    for (const TermIndex& index : use.indices) tensor.indices.push_back(number_of(index));
    return tensor;
  }

 private:
  std::size_t number_of(const TermIndex& index) {
    const auto [found, fresh] = numbers_.try_emplace(index.name, term_.names.size());
    if (fresh) {
      term_.names.push_back(index.name);
      term_.spaces.push_back(index.space);
    }
    return found->second;
  }

  TensorTerm& term_;
  std::map<std::string, std::size_t> numbers_;
};

}  // namespace

std::string_view name_of(TensorRole role) {
  switch (role) {
    case TensorRole::given:
      return "given";
    case TensorRole::intermediate:
      return "intermediate";
    case TensorRole::result:
      return "result";
  }
  return "unknown";
}

std::vector<ProgramTensor> tensors_of(const Program& program) {
  std::vector<ProgramTensor> tensors;
  const auto add = [&](const TensorUse& use) {
    if (std::ranges::any_of(tensors, [&](const ProgramTensor& tensor) { return is_same(tensor, use); }))
      return;
    tensors.push_back(program_tensor(use, program));
  };
  for (const ProgramTerm& term : program.terms) {
    add(term.result);
    for (const TensorUse& use : term.operands) add(use);
  }
  derive_mirrors(program, tensors);
  return tensors;
}

std::size_t number_of(const TensorUse& use, const std::vector<ProgramTensor>& tensors) {
  const auto found =
      std::ranges::find_if(tensors, [&](const ProgramTensor& tensor) { return is_same(tensor, use); });
  return static_cast<std::size_t>(found - tensors.begin());
}

std::string text_of(const ProgramTensor& tensor, const Program& program) {
  std::string letters;
  for (std::size_t p = 0; p < tensor.rules.spaces.size(); ++p) {
    if (p == tensor.rules.upper && program.halves) letters += '|';
    letters += program.spaces[tensor.rules.spaces[p]].letter;
  }
  return fmt::format("{}[{}]", tensor.name, letters);
}

TensorTerm tensor_term(const ProgramTerm& term) {
  TensorTerm numbered;
  Numbering numbering(numbered);
  numbered.result = numbering.numbered(term.result);
  for (const TensorUse& use : term.operands) numbered.operands.push_back(numbering.numbered(use));
  numbered.factor = term.factor;
  return numbered;
}

namespace {

/// Of blocks that are their own mirror images: one tile for two positions that are exchanged.
Tuples own_images(const TensorRules& rules, const std::vector<LabelledTiles>& tiles) {
  Tuples all;
  for (std::size_t p = 0; p < rules.spaces.size(); ++p) {
    if (rules.mirror[p] < p) continue;
    Tuples one = kNoTuples;
    for (const std::int64_t tile : tiles[rules.spaces[p]].extents) {
      const auto extent = static_cast<double>(tile);
      one += {1, rules.mirror[p] == p ? extent : extent * extent};
    }
    all *= one;
  }
  return all;
}

}  // namespace

TensorSize size_of(const ProgramTensor& tensor, const std::vector<LabelledTiles>& tiles) {
  TensorSize size;
  IndexList positions(tensor.rules.spaces.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  for (const Spins& spins : all_spins(positions, Spins(positions.size()))) {
    if (!is_conserved(positions, tensor.rules.upper, spins)) continue;
    if (tensor.rules.closed_shell && is_beta_alone(positions, spins)) continue;
    const Tuples tuples = tuples_of(tensor.rules.groups, tensor.rules.spaces, spins, tiles);
    size.blocks += tuples.count;
    size.elements += tuples.extents;
  }
  if (!tensor.rules.mirror.empty()) {
    const Tuples own = own_images(tensor.rules, tiles);
    size.blocks = (size.blocks + own.count) / 2;
    size.elements = (size.elements + own.extents) / 2;
  }
  if (tensor.rules.slice) {
    size.blocks /= static_cast<double>(tensor.rules.slice->parts);
    size.elements /= static_cast<double>(tensor.rules.slice->parts);
  }
  size.largest_block = size.blocks > 0 ? 1 : 0;
  for (const std::size_t space : tensor.rules.spaces)
    size.largest_block *= static_cast<double>(std::ranges::max(tiles[space].extents));
  return size;
}

std::vector<TensorLevels> levels_of(const Program& program, const std::vector<ProgramTensor>& tensors,
                                    const std::vector<TermOrder>& order) {
  std::vector<TensorLevels> levels(tensors.size());
  int last = 0;
  for (std::size_t t = 0; t < program.terms.size(); ++t) {
    const int level = order[t].level;
    last = std::max(last, level);
    TensorLevels& result = levels[number_of(program.terms[t].result, tensors)];
    result.made = result.made == 0 ? level : std::min(result.made, level);
    result.last = std::max(result.last, level);
    for (const TensorUse& use : program.terms[t].operands) {
      TensorLevels& operand = levels[number_of(use, tensors)];
      operand.last = std::max(operand.last, level);
    }
  }
  for (std::size_t tensor = 0; tensor < tensors.size(); ++tensor) {
    if (tensors[tensor].role != TensorRole::intermediate) levels[tensor].last = last;
  }
  return levels;
}

}  // namespace foretile
