// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/program_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "apps/quantities.hpp"
#include "base/atomic_file.hpp"
#include "base/files.hpp"
#include "base/one_line.hpp"
#include "planner/tensor/program_memory.hpp"
#include "planner/tensor/program_text.hpp"
#include "planner/tensor/term_counts.hpp"
#include "planner/tensor/term_graph.hpp"
#include "planner/tensor/term_order.hpp"

namespace foretile {

namespace {

struct ProgramView {
  Program program;
  std::vector<TermOrder> order;
  std::vector<TermCounts> counts;
  TermCounts all;
  std::vector<int> levels;  // terms of each level
  ProgramMemory memory;

  ProgramView(const std::string& path, const ProgramSizes& sizes)
      : program(load_program(path)), order(order_of_terms(program, path)) {
    const auto tiles = spin_tiles_of(program, sizes);
    for (std::size_t t = 0; t < program.terms.size(); ++t) {
      counts.push_back(count_term(program.terms[t], tiles, path));
      levels.resize(std::max(levels.size(), static_cast<std::size_t>(order[t].level)), 0);
      ++levels[static_cast<std::size_t>(order[t].level) - 1];
    }
    all = sum_of(counts, path);
    memory = memory_of(program, order, tiles);
  }
};

std::string chain_text(const TermCounts& counts) {
  if (counts.chains == 0) return {};
  const double mean = static_cast<double>(counts.gemms) / static_cast<double>(counts.chains);
  return counts.shortest == counts.longest
             ? grouped(counts.longest)
             : fmt::format("{:.1f} ({} to {})", mean, grouped(counts.shortest), grouped(counts.longest));
}

/// Exact as long as whole numbers are.
std::string count_text(double count) {
  constexpr double kExact = 9007199254740992;  // 2^53
  return count <= kExact ? grouped(static_cast<std::int64_t>(count)) : fmt::format("{:.3g}", count);
}

constexpr double kElementBytes = 8;
constexpr std::array<int, 8> kNodes{1, 2, 4, 8, 16, 32, 64, 128};

std::string life_text(const TensorLife& life) {
  if (life.tensor.role == TensorRole::given) return "always";
  const std::string made = fmt::format("made at level {}", life.levels.made);
  return life.tensor.role == TensorRole::result ? made
                                                : fmt::format("{}, last read at {}", made, life.levels.last);
}

std::string memory_text(const ProgramView& view) {
  const ProgramMemory& memory = view.memory;
  std::string text = view.program.spatial
                         ? "\ntensors\n"
                         : "\ntensors, stored once for all orders of antisymmetric indices\n";
  std::size_t name = 8;
  for (const TensorLife& life : memory.tensors)
    name = std::max(name, text_of(life.tensor, view.program).size());
  for (const TensorLife& life : memory.tensors)
    text += fmt::format("  {:<{}}  {:<14}{:>11} blocks  {:>10}  {}\n", text_of(life.tensor, view.program),
                        name, name_of(life.tensor.role), count_text(life.size.blocks),
                        quantity(kElementBytes * life.size.elements, "B"), life_text(life));
  text += "\nin memory while a level runs\n";
  for (std::size_t level = 1; level <= memory.elements.size(); ++level)
    text +=
        fmt::format("  level {}  {:>10}\n", level, quantity(kElementBytes * memory.elements[level - 1], "B"));
  text += fmt::format(
      "\nthe tensors alone at level {}, distributed evenly, and the tiles of one product, {}, take of a "
      "node\n",
      memory.fullest, quantity(kElementBytes * memory.largest_product, "B"));
  for (const int nodes : kNodes)
    text += fmt::format("  {:>3} {}  {:>10}\n", nodes, nodes == 1 ? "node " : "nodes",
                        quantity(kElementBytes * memory.per_node(nodes), "B"));
  text += "foretile plan says what a plan needs, which is more\n";
  return text;
}

void add_memory(const ProgramView& view, nlohmann::ordered_json& json) {
  for (const TensorLife& life : view.memory.tensors)
    json["tensors"].push_back({{"name", text_of(life.tensor, view.program)},
                               {"role", name_of(life.tensor.role)},
                               {"blocks", life.size.blocks},
                               {"bytes", kElementBytes * life.size.elements},
                               {"made", life.levels.made},
                               {"last_read", life.levels.last}});
  for (const double elements : view.memory.elements)
    json["bytes_of_levels"].push_back(kElementBytes * elements);
  for (const int nodes : kNodes)
    json["memory"].push_back(
        {{"nodes", nodes}, {"bytes_per_node", kElementBytes * view.memory.per_node(nodes)}});
}

/// Of a product of spatial orbitals, which is one dense product: M, N and K.
void add_extents(const ProgramTerm& term, const ProgramSizes& sizes, const std::vector<IndexSpace>& spaces,
                 nlohmann::ordered_json& json) {
  double m = 1, n = 1, k = 1;
  const auto has = [](const TensorUse& use, const TermIndex& index) {
    return std::ranges::find(use.indices, index) != use.indices.end();
  };
  for (const TensorUse& use : term.operands) {
    for (const TermIndex& index : use.indices) {
      const bool first = &use == &term.operands[0];
      if (!first && has(term.operands[0], index)) continue;
      const std::int64_t extent = sizes.extent_of(spaces[index.space].kind);
      (!has(term.result, index) ? k : first ? m : n) *= static_cast<double>(extent);
    }
  }
  json["m"] = m;
  json["n"] = n;
  json["k"] = k;
}

}  // namespace

bool is_program_file(const std::string& path) {
  return path.ends_with(".txt");
}

nlohmann::ordered_json program_json(const std::string& path, const ProgramSizes& sizes) {
  const ProgramView view(path, sizes);
  nlohmann::ordered_json json{{"occupied", sizes.occupied}, {"virtual", sizes.virtuals},
                              {"vectors", sizes.vectors},   {"tile", sizes.tile},
                              {"chains", view.all.chains},  {"gemms", view.all.gemms},
                              {"flops", view.all.flops},    {"levels", view.levels}};
  for (std::size_t t = 0; t < view.program.terms.size(); ++t) {
    nlohmann::ordered_json depends = nlohmann::ordered_json::array();
    for (const std::size_t before : view.order[t].depends_on)
      depends.push_back(view.program.terms[before].name);
    const TermCounts& counts = view.counts[t];
    json["terms"].push_back({{"name", view.program.terms[t].name},
                             {"level", view.order[t].level},
                             {"chains", counts.chains},
                             {"gemms", counts.gemms},
                             {"flops", counts.flops},
                             {"shortest_chain", counts.shortest},
                             {"longest_chain", counts.longest},
                             {"chain_lengths", counts.lengths},
                             {"depends_on", depends}});
    if (view.program.spatial && view.program.terms[t].is_product())
      add_extents(view.program.terms[t], sizes, view.program.spaces, json["terms"].back());
  }
  add_memory(view, json);
  return json;
}

namespace {

std::string vectors_text(const ProgramSizes& sizes) {
  if (sizes.vectors == 0) return {};
  return fmt::format("{} vectors in tiles of at most {}, ", grouped(sizes.vectors),
                     grouped(sizes.tile_of(SpaceKind::auxiliary)));
}

}  // namespace

std::string program_text(const std::string& path, const ProgramSizes& sizes) {
  const ProgramView view(path, sizes);
  std::string text =
      fmt::format("{}: {} terms, {} occupied and {} virtual {}, {}tiles of at most {}\n", one_line(path),
                  view.program.terms.size(), grouped(sizes.occupied), grouped(sizes.virtuals),
                  view.program.spatial ? "spatial orbitals" : "orbitals of each spin", vectors_text(sizes),
                  grouped(sizes.tile));
  text += fmt::format("  chains of products    {}\n  products of tiles     {}\n  flops                 {}\n",
                      grouped(view.all.chains), grouped(view.all.gemms), quantity(view.all.flops, "flop"));
  std::size_t name = 4;
  for (const ProgramTerm& term : view.program.terms) name = std::max(name, term.name.size());
  for (std::size_t level = 1; level <= view.levels.size(); ++level) {
    text += fmt::format("\nlevel {}, {} terms\n  {:<{}}  {:>9}  {:>11}  {:>10}  {:>6}  {}\n", level,
                        view.levels[level - 1], "term", name, "chains", "products", "flop", "share",
                        "products of a chain");
    for (std::size_t t = 0; t < view.program.terms.size(); ++t) {
      if (view.order[t].level != static_cast<int>(level)) continue;
      const ProgramTerm& term = view.program.terms[t];
      const TermCounts& counts = view.counts[t];
      text += term.is_product()
                  ? fmt::format("  {:<{}}  {:>9}  {:>11}  {:>10}  {:>6}  {}\n", term.name, name,
                                grouped(counts.chains), grouped(counts.gemms), quantity(counts.flops, ""),
                                percent(view.all.flops > 0 ? counts.flops / view.all.flops : 0),
                                chain_text(counts))
                  : fmt::format("  {:<{}}  copy of {}\n", term.name, name, term.operands.front().tensor);
    }
  }
  return text + memory_text(view);
}

void write_term_graph(const std::string& path, const ProgramSizes& sizes, const std::string& dot_file) {
  require_different("--dot", dot_file, "the program", path);
  const ProgramView view(path, sizes);
  std::vector<std::string> labels;
  for (std::size_t t = 0; t < view.program.terms.size(); ++t) {
    const ProgramTerm& term = view.program.terms[t];
    labels.push_back(term.is_product()
                         ? fmt::format("{}\n{}", term.name, quantity(view.counts[t].flops, "flop"))
                         : fmt::format("{}\ncopy of {}", term.name, term.operands.front().tensor));
  }
  write_atomically(dot_file, [&](std::ostream& out) { write_dot(out, view.order, labels); });
}

}  // namespace foretile
