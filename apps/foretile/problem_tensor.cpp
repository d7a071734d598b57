// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/problem_tensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/foretile/problem_output.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "base/one_line.hpp"
#include "base/parse.hpp"
#include "base/words.hpp"
#include "planner/problem/kinds/kept_blocks.hpp"
#include "planner/problem/kinds/molecule.hpp"
#include "planner/problem/kinds/tensor.hpp"
#include "planner/problem/limits.hpp"
#include "planner/tensor/term_text.hpp"

namespace foretile {

namespace {

struct TensorArguments {
  std::vector<std::string> indices, operands;  // as the command line has them
  TensorParameters parameters;
  MoleculeParameters molecule;
  std::string xyz, basis{name(Basis::def2_svp)};
  ProblemOutput output;
};

/// "KEY=VALUE", or "WORD" alone.
struct Rule {
  std::string key;
  std::optional<std::string> value;
};

std::vector<Rule> rules_of(const std::string& text) {
  std::vector<Rule> rules;
  for (const std::string& word : CLI::detail::split(text, ':')) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      rules.push_back({word, std::nullopt});
    } else {
      rules.push_back({word.substr(0, equals), word.substr(equals + 1)});
    }
  }
  return rules;
}

std::vector<std::int64_t> integers(const std::string& text, const std::string& where, std::int64_t low,
                                   std::int64_t high) {
  std::vector<std::int64_t> numbers;
  for (const std::string& word : CLI::detail::split(text, ','))
    numbers.push_back(parse_integer(word, where, low, high));
  return numbers;
}

/// Which orbitals of a molecule an index counts.
bool is_orbital_space(const std::string& word) {
  return word == "occupied" || word == "virtual" || word == "ao";
}

std::vector<std::int64_t> molecule_tiles(const TensorArguments& arguments, const std::string& space,
                                         std::int64_t clusters, const std::string& where) {
  if (arguments.molecule.xyz.empty())
    throw input_error(where, fmt::format("{} without a molecule", space), "--xyz FILE.xyz", "give it");
  MoleculeParameters molecule = arguments.molecule;
  molecule.occ_clusters = molecule.ao_clusters = clusters;
  molecule.space = space == "virtual" ? OrbitalSpace::virtuals : OrbitalSpace::ao;
  return space == "occupied" ? occupied_clusters(molecule) : function_clusters(molecule);
}

/// abcd=432:tiles=12, ij=60:tile=30:spin, ab=virtual:clusters=12
IndexTiles index_of(const std::string& text, const TensorArguments& arguments) {
  const std::string where = "--index " + text;
  const char* const expected =
      "LETTERS=EXTENT and behind colons tiles=N, tile=N, sizes=N,N, clusters=N, `spin`, irreps=N,N";
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw input_error("--index", quote(text), expected, "as abcd=432:tiles=12");
  IndexTiles index;
  index.letters = text.substr(0, equals);
  if (!are_letters(index.letters))
    throw input_error("--index", quote(text), expected, "as abcd=432:tiles=12");
  std::vector<Rule> rules = rules_of(text.substr(equals + 1));
  std::string space;
  if (is_orbital_space(rules.front().key)) {
    space = rules.front().key;
  } else {
    index.extent = parse_integer(rules.front().key, where, 1, max_extent);
  }
  std::optional<std::int64_t> clusters;
  for (std::size_t r = 1; r < rules.size(); ++r) {
    const auto& [key, value] = rules[r];
    if (key == "spin" && !value) {
      index.spin = true;
    } else if (key == "tiles" && value) {
      index.tiles = parse_integer(*value, where, 1, max_extent);
    } else if (key == "tile" && value) {
      index.tile = parse_integer(*value, where, 1, max_extent);
    } else if (key == "sizes" && value) {
      index.sizes = integers(*value, where, 1, max_extent);
    } else if (key == "irreps" && value) {
      index.irreps = integers(*value, where, 0, 7);
    } else if (key == "clusters" && value && !space.empty()) {
      clusters = parse_integer(*value, where, 1, max_clusters);
    } else {
      throw input_error("--index", quote(text), expected, "see docs/problems.md");
    }
  }
  if (space.empty()) return index;
  if (!clusters)
    throw input_error(where, space + " without clusters", "clusters=N", "the tiles are k-means clusters");
  index.sizes = molecule_tiles(arguments, space, *clusters, where);
  return index;
}

/// A line for each block: a tile of each index, and a norm where it is not 1.
std::vector<std::vector<double>> blocks_of(const std::string& file) {
  std::vector<std::vector<double>> blocks;
  const std::string text = read_text(file);
  int line = 0;
  for (std::string_view content : lines_of(text)) {
    ++line;
    content = content.substr(0, content.find('#'));
    std::vector<double> block;
    for (const std::string_view word : words_of(content)) {
      const auto value = number<double>(word);
      if (!value)
        throw input_error(fmt::format("{}:{}", file, line), quote(std::string(word)),
                          "numbers: a tile of each index, and a norm");
      block.push_back(*value);
    }
    if (!block.empty()) blocks.push_back(std::move(block));
  }
  return blocks;
}

/// V:antisymmetric=ab,cd:density=0.3, T:generated, W:blocks=FILE
OperandTraits operand_of(const std::string& text) {
  OperandTraits operand;
  const std::vector<Rule> rules = rules_of(text);
  operand.name = rules.front().key;
  if (!is_tensor_name(operand.name))
    throw input_error("--operand", quote(text), "the name of a tensor, and rules behind colons",
                      "as V:antisymmetric=ab,cd");
  const std::string where = "--operand " + text;
  for (std::size_t r = 1; r < rules.size(); ++r) {
    const auto& [key, value] = rules[r];
    if (key == "antisymmetric" && value) {
      operand.antisymmetric = CLI::detail::split(*value, ',');
      for (const std::string& group : operand.antisymmetric) parse_indices(group, where);
    } else if (key == "density" && value) {
      operand.density = parse_real(*value, where, kLeastDensity, 1);
    } else if (key == "blocks" && value) {
      operand.blocks = blocks_of(*value);
    } else if ((key == "generated" || key == kFormerGenerated) && !value) {
      operand.generated = true;
    } else {
      throw input_error(
          "--operand", quote(text),
          "NAME and behind colons antisymmetric=INDICES, density=NUMBER, blocks=FILE, generated",
          "as V:antisymmetric=ab,cd");
    }
  }
  return operand;
}

void write_tensor(TensorArguments& arguments) {
  parse_term(arguments.parameters.term, "the term");
  if (const double threshold = arguments.parameters.c_threshold; !(threshold >= 0 && threshold <= 1e300))
    throw input_error("--c-threshold", fmt::to_string(threshold), "a number from 0 to 1e300");
  if (!arguments.xyz.empty()) {
    arguments.molecule.xyz = read_text(arguments.xyz);
    parse_xyz(arguments.molecule.xyz, arguments.xyz);
    require_different("--output", arguments.output.file, "--xyz", arguments.xyz);
  }
  arguments.molecule.basis = basis_named(arguments.basis, "--basis");
  for (const std::string& index : arguments.indices)
    arguments.parameters.indices.push_back(index_of(index, arguments));
  for (const std::string& operand : arguments.operands) {
    arguments.parameters.operands.push_back(operand_of(operand));
    for (const auto& [key, value] : rules_of(operand)) {
      if (key == "blocks" && value) require_different("--output", arguments.output.file, "--operand", *value);
    }
  }
  const bool uses_molecule = std::ranges::any_of(arguments.indices, [](const std::string& index) {
    return is_orbital_space(rules_of(index.substr(index.find('=') + 1)).front().key);
  });
  if (!arguments.xyz.empty() && !uses_molecule)
    throw input_error("--xyz", "a molecule that no index uses", "an index of it, as ab=virtual:clusters=12",
                      "leave it out");
  write_problem(tensor_problem_toml(arguments.parameters), arguments.output, "tensor");
}

}  // namespace

void add_tensor(CLI::App& group) {
  CLI::App& command = *group.add_subcommand("tensor", "A product of two tensors, fused to matrices");
  const auto arguments = std::make_shared<TensorArguments>();
  arguments->output.writes_sources = false;
  TensorParameters& p = arguments->parameters;
  command
      .add_option("term", p.term,
                  "The product, as \"R[a,b,i,j] += 0.5 V[a,b,c,d] T[c,d,i,j]\"; with = there is no initial R")
      ->check(not_empty_check())
      ->required();
  command
      .add_option(
          "--index", arguments->indices,
          "Extent and tiles of indices that begin with these letters; EXTENT may be `virtual`, `occupied` or "
          "`ao` of --xyz. Rules: tiles=N, tile=N, sizes=N,N, clusters=N, `spin`, irreps=N,N. Repeatable")
      ->type_name("LETTERS=EXTENT:RULE")
      ->allow_extra_args(false)
      ->required();
  command
      .add_option("--operand", arguments->operands,
                  "Rules of an operand: antisymmetric=ab,cd; density=NUMBER; blocks=FILE, with a line of "
                  "tiles and norm for each; `generated`, where it is used. Repeatable")
      ->type_name("NAME:RULE")
      ->allow_extra_args(false);
  command.add_option("--tile", p.tile, "Largest extent of a tile of indices without a rule")
      ->check(whole_number_check(1));
  command.add_flag("--closed-shell", p.closed_shell,
                   "Blocks of beta alone equal those of alpha alone and are left out");
  command
      .add_option("--c-threshold", p.c_threshold,
                  "Least product of the norms of two tiles that makes a tile of C")
      ->capture_default_str();
  command.add_option("--xyz", arguments->xyz, "A molecule, whose orbitals k-means gathers into tiles")
      ->type_name("FILE.xyz");
  command.add_option("--basis", arguments->basis, "Basis set of the molecule")
      ->capture_default_str()
      ->type_name("NAME");
  command.add_option("--charge", arguments->molecule.electrons.charge, "Charge of the molecule")
      ->capture_default_str();
  command.add_flag("--core", arguments->molecule.core,
                   "Core orbitals are among the occupied ones; else they are frozen");
  command
      .add_option("--seed", p.seed,
                  "Seed of all random numbers; the same seed gives the same problem everywhere")
      ->check(whole_number_check())
      ->capture_default_str();
  add_element_options(command, arguments->output);
  add_output_options(command, arguments->output);
  command.callback([arguments] { write_tensor(*arguments); });
}

}  // namespace foretile
