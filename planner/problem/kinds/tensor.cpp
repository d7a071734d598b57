// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/one_line.hpp"
#include "planner/problem/kinds/kept_blocks.hpp"
#include "planner/problem/kinds/problem_table.hpp"
#include "planner/problem/kinds/table_reader.hpp"
#include "planner/problem/limits.hpp"
#include "planner/tensor/fused_term.hpp"
#include "planner/tensor/tensor_blocks.hpp"
#include "planner/tensor/term_text.hpp"

namespace foretile {

namespace {

constexpr std::string_view kTerm = "term";

IndexTiles read_index(TableReader& table) {
  IndexTiles index;
  index.letters = table.text("letters");
  if (!are_letters(index.letters))
    throw table.error("letters", fmt::format("\"{}\"", index.letters), "letters with which indices begin");
  for (const auto& [key, value] :
       {std::pair("extent", &index.extent), {"tiles", &index.tiles}, {"tile", &index.tile}})
    *value = table.integer_or(key, 0, 1, max_extent);
  for (const char* key : {"sizes", "irreps"}) table.note(key);
  if (table.has("sizes")) index.sizes = table.integers("sizes", 1, max_extent);
  index.spin = table.boolean_or("spin", false);
  if (table.has("irreps")) index.irreps = table.integers("irreps", 0, 7);
  return index;
}

OperandTraits read_operand(TableReader& table) {
  OperandTraits operand;
  operand.name = table.text("name");
  if (!is_tensor_name(operand.name))
    throw table.error("name", quote(operand.name), "the name of a tensor: letters, digits and _");
  for (const char* key : {"antisymmetric", "blocks"}) table.note(key);
  if (table.has("antisymmetric")) operand.antisymmetric = table.texts("antisymmetric");
  for (const std::string& group : operand.antisymmetric) parse_indices(group, table.where("antisymmetric"));
  operand.density = table.real_or("density", 1, kLeastDensity, 1);
  if (table.has("blocks")) operand.blocks = table.rows("blocks", 1, kMostTensorIndices + 1);
  operand.generated = table.boolean_or(table.has(kFormerGenerated) ? kFormerGenerated : "generated", false);
  return operand;
}

std::string index_toml(const IndexTiles& index) {
  std::string text = fmt::format("\n[[index]]\nletters = \"{}\"\n", index.letters);
  for (const auto& [key, value] :
       {std::pair("extent", index.extent), {"tiles", index.tiles}, {"tile", index.tile}}) {
    if (value > 0) text += fmt::format("{} = {}\n", key, value);
  }
  if (!index.sizes.empty()) text += fmt::format("sizes = [{}]\n", fmt::join(index.sizes, ", "));
  if (index.spin) text += "spin = true\n";
  if (!index.irreps.empty()) text += fmt::format("irreps = [{}]\n", fmt::join(index.irreps, ", "));
  return text;
}

std::string operand_toml(const OperandTraits& operand) {
  std::string text = fmt::format("\n[[operand]]\nname = \"{}\"\n", operand.name);
  if (!operand.antisymmetric.empty())
    text += fmt::format("antisymmetric = [\"{}\"]\n", fmt::join(operand.antisymmetric, "\", \""));
  if (operand.density < 1) text += fmt::format("density = {}\n", operand.density);
  if (operand.generated) text += "generated = true\n";
  if (operand.blocks) {
    text += "blocks = [\n";
    for (const auto& block : *operand.blocks) text += fmt::format("  [{}],\n", fmt::join(block, ", "));
    text += "]\n";
  }
  return text;
}

/// Makes the term, its index spaces and its operands from the parameters.
class Builder {
 public:
  explicit Builder(const TensorParameters& parameters)
      : parameters_(parameters), text_(parse_term(parameters.term, std::string(kTerm))) {
    for (const IndexTiles& index : parameters.indices) add_space(index);
    number_indices();
    for (const TextTensor& operand : text_.operands) {
      term_.operands.push_back(numbered(operand));
      traits_.push_back(traits_of(operand));
    }
    term_.result = numbered(text_.result);
    term_.factor = text_.factor;
    check_unused();
    check_halves();
    for (std::size_t o = 0; o < 2; ++o) {
      set_groups(o);
      blocks_.push_back(blocks_of(o));
    }
    fusion_ = best_fusion(term_, weights(), generated_operand());
  }

  Contraction contraction() const {
    const FusedTerm fused = fuse();
    Contraction contraction = fused.contraction();
    contraction.name = "tensor";
    contraction.seed = parameters_.seed;
    contraction.alpha = term_.factor;
    contraction.beta = text_.accumulate ? 1.0 : 0.0;
    const auto source = [&](std::size_t matrix) {
      return traits_[fusion_.operand.at(matrix)].generated ? Source::generated : Source::given;
    };
    contraction.sources = {source(0), source(1)};
    return contraction;
  }

  TensorFusion fusion() const {
    TensorFusion all;
    const FusedTerm fused = fuse();
    const Contraction& contraction = fused.contraction();
    for (std::size_t matrix = 0; matrix < 2; ++matrix) {
      const TensorBlocks& blocks = blocks_[fusion_.operand.at(matrix)];
      all.blocks.at(matrix) = blocks.count();
      all.stored_elements.at(matrix) = blocks.elements();
      const Shape& shape = matrix == 0 ? contraction.a : contraction.b;
      for (TileId tile = 0; tile < shape.nonzeros(); ++tile) {
        const BlockPlace place = fused.operand_tile(matrix, tile);
        const auto elements = static_cast<double>(blocks.elements(place.block));
        all.elements.at(matrix) += elements;
        if (!fused.is_as_stored(matrix, tile)) all.permuted.at(matrix) += elements;
      }
    }
    for (TileId tile = 0; tile < contraction.c.nonzeros(); ++tile)
      all.elements[2] += static_cast<double>(contraction.m.size(contraction.c.row_of(tile))) *
                         static_cast<double>(contraction.n.size(contraction.c.column_of(tile)));
    if (!fusion_.fits[2]) all.permuted[2] = all.elements[2];
    all.term = term_;
    all.fusion = fusion_;
    return all;
  }

 private:
  FusedTerm fuse() const {
    return {term_,
            fusion_,
            {&blocks_[0], &blocks_[1]},
            spaces_,
            parameters_.closed_shell,
            parameters_.c_threshold};
  }

  void add_space(const IndexTiles& index) {
    const std::string where = fmt::format("index {}", quote(index.letters));
    for (const char letter : index.letters) {
      if (letters_.contains(letter))
        throw input_error(where, fmt::format("{} again", letter), "each letter once");
      letters_.insert(letter);
    }
    const std::vector<std::int64_t> extents = extents_of(index, where);
    if (!index.irreps.empty() && index.irreps.size() != extents.size())
      throw input_error(where, fmt::format("{} irreps", index.irreps.size()),
                        fmt::format("{}, one for each tile of a spin", extents.size()));
    const std::vector<std::uint8_t> irreps(index.irreps.begin(), index.irreps.end());
    spaces_.push_back(index.spin ? with_spins(extents, irreps) : LabelledTiles{extents, false, irreps});
  }

  std::vector<std::int64_t> extents_of(const IndexTiles& index, const std::string& where) {
    const int rules = (index.tiles > 0 ? 1 : 0) + (index.tile > 0 ? 1 : 0) + (index.sizes.empty() ? 0 : 1);
    if (rules > 1) throw input_error(where, "several rules for its tiles", "one of tiles, tile and sizes");
    if (!index.sizes.empty()) return listed_extents(index, where);
    if (index.extent == 0) throw input_error(where, "no extent", "its extent, or the sizes of its tiles");
    uses_tile_ = uses_tile_ || rules == 0;
    const std::int64_t most = rules == 0 ? parameters_.tile : index.tile;
    if (index.tiles == 0 && most == 0)
      throw input_error(where, "no rule for its tiles", "one of tiles, tile and sizes",
                        "or give the size of all tiles: tile");
    if (index.tiles > index.extent)
      throw input_error(where, fmt::format("{} tiles of {} elements", index.tiles, index.extent),
                        "at most one for each element");
    const std::int64_t tiles = index.tiles > 0 ? index.tiles : (index.extent - 1) / most + 1;
    check_tile_count(2 * tiles, 1);
    return even_extents(index.extent, tiles);
  }

  static std::vector<std::int64_t> listed_extents(const IndexTiles& index, const std::string& where) {
    double sum = 0;
    for (const std::int64_t size : index.sizes) sum += static_cast<double>(size);
    check_extent(sum);
    if (index.extent > 0 && sum != static_cast<double>(index.extent))
      throw input_error(where, fmt::format("tiles of {} elements in all", sum),
                        fmt::format("{}, its extent", index.extent));
    return index.sizes;
  }

  std::size_t space_of(const std::string& index) const {
    for (std::size_t s = 0; s < parameters_.indices.size(); ++s) {
      if (parameters_.indices[s].letters.find(index[0]) != std::string::npos) return s;
    }
    throw input_error(std::string(kTerm), fmt::format("index {}, of which nothing is known", index),
                      fmt::format("a letter of {}", known_letters()), "give its extent and tiles");
  }

  std::string known_letters() const {
    return letters_.empty() ? "an index space" : fmt::format("{}", fmt::join(letters_, ", "));
  }

  void number_indices() {
    const auto add = [&](const TextTensor& tensor) {
      for (const TextIndex& index : tensor.indices) {
        if (std::ranges::find(term_.names, index.name) != term_.names.end()) continue;
        term_.names.push_back(index.name);
        term_.spaces.push_back(space_of(index.name));
      }
    };
    add(text_.result);
    for (const TextTensor& operand : text_.operands) add(operand);
  }

  std::size_t number_of(const std::string& index) const {
    return static_cast<std::size_t>(std::ranges::find(term_.names, index) - term_.names.begin());
  }

  IndexedTensor numbered(const TextTensor& tensor) const {
    IndexedTensor numbered{tensor.name, {}, tensor.upper.value_or(tensor.indices.size() / 2), {}};
    for (const TextIndex& index : tensor.indices) numbered.indices.push_back(number_of(index.name));
    for (std::size_t p = 0; p < tensor.indices.size(); ++p) numbered.groups.push_back({p});
    return numbered;
  }

  OperandTraits traits_of(const TextTensor& operand) const {
    OperandTraits none;
    const auto found = std::ranges::find(parameters_.operands, operand.name, &OperandTraits::name);
    return found == parameters_.operands.end() ? none : *found;
  }

  void check_unused() const {
    std::set<std::string> seen;
    const bool twice = text_.operands[0].name == text_.operands[1].name;
    for (const OperandTraits& traits : parameters_.operands) {
      const std::string where = fmt::format("operand {}", quote(traits.name));
      if (std::ranges::find(text_.operands, traits.name, &TextTensor::name) == text_.operands.end())
        throw input_error(where, "a tensor that the term does not multiply",
                          fmt::format("{} or {}", text_.operands[0].name, text_.operands[1].name));
      if (twice)
        throw input_error(where, "a tensor that the term multiplies by itself", "two names",
                          "name it otherwise in one place, and say there what is special about it");
      if (!seen.insert(traits.name).second) throw input_error(where, "it twice", "each operand once");
    }
    for (std::size_t s = 0; s < parameters_.indices.size(); ++s) {
      if (std::ranges::find(term_.spaces, s) == term_.spaces.end())
        throw input_error(fmt::format("index {}", quote(parameters_.indices[s].letters)),
                          "letters with which no index of the term begins", "indices that the term has",
                          "leave it out");
    }
    if (parameters_.tile > 0 && !uses_tile_)
      throw input_error("tile", "a size beside rules for all indices", "an index without a rule of its own",
                        "leave it out");
    const bool spins = std::ranges::all_of(spaces_, &LabelledTiles::with_spin);
    if (parameters_.closed_shell && !spins)
      throw input_error("closed_shell", "indices without spins", "spins of all indices",
                        "say spin of each index");
  }

  /// Spins are conserved between upper and lower indices, so these must be known and go together.
  void check_halves() const {
    const bool spins = std::ranges::any_of(spaces_, &LabelledTiles::with_spin);
    if (!spins) return;
    if (!std::ranges::all_of(spaces_, &LabelledTiles::with_spin))
      throw input_error(std::string(kTerm), "indices with and without spins",
                        "spins of all indices, or of none");
    const auto check = [](const TextTensor& tensor) {
      if (!tensor.upper && tensor.indices.size() % 2 != 0)
        throw input_error(
            std::string(kTerm), fmt::format("{} indices of {}", tensor.indices.size(), tensor.name),
            "| between the upper and the lower ones", fmt::format("for example {}[a|i]", tensor.name));
    };
    check(text_.result);
    for (const TextTensor& operand : text_.operands) check(operand);
    for (std::size_t index = 0; index < term_.names.size(); ++index) check_half(index);
  }

  static bool is_upper(const IndexedTensor& tensor, std::size_t index) {
    return std::ranges::find(tensor.indices, index) - tensor.indices.begin() <
           static_cast<std::ptrdiff_t>(tensor.upper);
  }

  void check_half(std::size_t index) const {
    const IndexedTensor &a = term_.operands[0], &b = term_.operands[1];
    if (!has_index(term_.result, index)) {
      if (is_upper(a, index) != is_upper(b, index)) return;
      throw input_error(std::string(kTerm),
                        fmt::format("{} summed over the same half of both", term_.names[index]),
                        "an upper index of one operand and a lower one of the other",
                        "change the places of the two halves of an operand");
    }
    const IndexedTensor& operand = has_index(a, index) ? a : b;
    if (is_upper(operand, index) == is_upper(term_.result, index)) return;
    throw input_error(std::string(kTerm), fmt::format("{} in different halves", term_.names[index]),
                      fmt::format("it in the same half of {} and {}", operand.name, term_.result.name));
  }

  void set_groups(std::size_t o) {
    IndexedTensor& operand = term_.operands[o];
    const std::string where = fmt::format("operand {}", quote(operand.name));
    std::vector<IndexList> groups;
    IndexList in_group;
    for (const std::string& text : traits_[o].antisymmetric) {
      IndexList group;
      for (const std::string& name : parse_indices(text, where)) {
        const auto at = std::ranges::find(operand.indices, number_of(name)) - operand.indices.begin();
        const auto position = static_cast<std::size_t>(at);
        if (position == operand.indices.size())
          throw input_error(where, fmt::format("index {}, which it does not have", name),
                            "indices of the tensor");
        if (std::ranges::find(in_group, position) != in_group.end())
          throw input_error(where, fmt::format("{} again", name), "each index in one group");
        in_group.push_back(position);
        group.push_back(position);
      }
      check_group(operand, group, where);
      std::ranges::sort(group);
      groups.push_back(std::move(group));
    }
    for (std::size_t p = 0; p < operand.indices.size(); ++p) {
      if (std::ranges::find(in_group, p) == in_group.end()) groups.push_back({p});
    }
    operand.groups = std::move(groups);
  }

  void check_group(const IndexedTensor& operand, const IndexList& group, const std::string& where) const {
    const auto differ = [&](const auto& of) {
      return std::ranges::any_of(group, [&](std::size_t p) { return of(p) != of(group.front()); });
    };
    if (group.size() < 2)
      throw input_error(where, "an antisymmetric group of one index", "two or more, as \"ab\"");
    if (differ([&](std::size_t p) { return term_.spaces[operand.indices[p]]; }))
      throw input_error(where, "an antisymmetric group of indices with different tiles",
                        "indices of one space", "say their extents and tiles together");
    if (spaces_[term_.spaces[operand.indices[group.front()]]].with_spin &&
        differ([&](std::size_t p) { return p < operand.upper; }))
      throw input_error(where, "an antisymmetric group of upper and lower indices", "those of one half");
  }

  TensorBlocks blocks_of(std::size_t o) const {
    const IndexedTensor& operand = term_.operands[o];
    TensorRules rules{{}, operand.upper, operand.groups, parameters_.closed_shell};
    for (const std::size_t index : operand.indices) rules.spaces.push_back(term_.spaces[index]);
    TensorBlocks blocks(std::move(rules), spaces_, fmt::format("operand {}", operand.name));
    const OperandTraits& traits = traits_[o];
    if (traits.blocks && traits.density < 1)
      throw input_error(fmt::format("operand {}", traits.name), "a density beside blocks", "one of the two");
    if (traits.blocks) keep_listed(blocks, *traits.blocks, fmt::format("operand {}, blocks", traits.name));
    if (traits.density < 1) keep_share(blocks, traits.density, parameters_.seed + o + 1);
    return blocks;
  }

  FusionWeights weights() const {
    double result = 1;
    for (const std::size_t index : term_.result.indices) {
      const auto& extents = spaces_[term_.spaces[index]].extents;
      result *= static_cast<double>(std::accumulate(extents.begin(), extents.end(), std::int64_t{0}));
    }
    return {static_cast<double>(blocks_[0].elements()), static_cast<double>(blocks_[1].elements()), result};
  }

  std::optional<std::size_t> generated_operand() const {
    if (traits_[0].generated == traits_[1].generated) return std::nullopt;
    return traits_[0].generated ? 0 : 1;
  }

  const TensorParameters& parameters_;
  TermText text_;
  TensorTerm term_;
  std::vector<LabelledTiles> spaces_;
  std::set<char> letters_;
  bool uses_tile_ = false;
  std::vector<OperandTraits> traits_;
  std::vector<TensorBlocks> blocks_;
  Fusion fusion_;
};

}  // namespace

bool are_letters(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return !text.empty() && std::ranges::all_of(text, is_letter);
}

bool is_tensor_name(std::string_view text) {
  const auto in_name = [](char c) { return are_letters({&c, 1}) || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && are_letters(text.substr(0, 1)) && std::ranges::all_of(text, in_name);
}

TensorParameters read_tensor(TableReader& table) {
  TensorParameters p;
  p.term = table.text(kTerm);
  parse_term(p.term, table.where(kTerm));
  p.tile = table.integer_or("tile", 0, 1, max_extent);
  p.closed_shell = table.boolean_or("closed_shell", false);
  p.c_threshold = table.real_or("c_threshold", 0, 0, std::numeric_limits<double>::max());
  p.seed = static_cast<std::uint64_t>(table.integer_or("seed", 1, 0, max_seed));
  table.tables("index", [&](TableReader& one) { p.indices.push_back(read_index(one)); });
  table.tables("operand", [&](TableReader& one) { p.operands.push_back(read_operand(one)); });
  return p;
}

std::string tensor_problem_toml(const TensorParameters& p) {
  std::string text =
      fmt::format("kind = \"tensor\"\nterm = \"{}\"\n", written(parse_term(p.term, std::string(kTerm))));
  if (p.tile > 0) text += fmt::format("tile = {}\n", p.tile);
  if (p.closed_shell) text += "closed_shell = true\n";
  if (p.c_threshold > 0) text += fmt::format("c_threshold = {}\n", p.c_threshold);
  text += fmt::format("seed = {}\n", p.seed);
  for (const IndexTiles& index : p.indices) text += index_toml(index);
  for (const OperandTraits& operand : p.operands) text += operand_toml(operand);
  return text;
}

Contraction tensor_contraction(const TensorParameters& parameters) {
  return Builder(parameters).contraction();
}

std::optional<TensorFusion> fusion_of(const Problem& problem) {
  const toml::table parsed = parse_problem_table(problem);
  TableReader table(parsed, problem.source);
  if (table.text("kind") != "tensor") return std::nullopt;
  const TensorParameters parameters = read_tensor(table);
  return Builder(parameters).fusion();
}

}  // namespace foretile
