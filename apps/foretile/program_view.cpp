#include "apps/foretile/program_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "apps/quantities.hpp"
#include "base/one_line.hpp"
#include "planner/program/program_text.hpp"
#include "planner/program/term_counts.hpp"
#include "planner/program/term_order.hpp"

namespace foretile {

namespace {

struct ProgramView {
  Program program;
  std::vector<TermOrder> order;
  std::vector<TermCounts> counts;
  TermCounts all;
  std::vector<int> levels;  // terms of each level

  ProgramView(const std::string& path, const ProgramSizes& sizes)
      : program(load_program(path)), order(order_of_terms(program, path)) {
    const auto tiles = spin_tiles_of(program, sizes.occupied, sizes.virtuals, sizes.tile);
    for (std::size_t t = 0; t < program.terms.size(); ++t) {
      counts.push_back(count_term(program.terms[t], tiles, path));
      levels.resize(std::max(levels.size(), static_cast<std::size_t>(order[t].level)), 0);
      ++levels[static_cast<std::size_t>(order[t].level) - 1];
    }
    all = sum_of(counts, path);
  }
};

std::string chain_text(const TermCounts& counts) {
  if (counts.chains == 0) return {};
  const double mean = static_cast<double>(counts.gemms) / static_cast<double>(counts.chains);
  return counts.shortest == counts.longest
             ? grouped(counts.longest)
             : fmt::format("{:.1f} ({} to {})", mean, grouped(counts.shortest), grouped(counts.longest));
}

}  // namespace

bool is_program_file(const std::string& path) {
  return path.ends_with(".txt");
}

nlohmann::ordered_json program_json(const std::string& path, const ProgramSizes& sizes) {
  const ProgramView view(path, sizes);
  nlohmann::ordered_json json{{"occupied", sizes.occupied}, {"virtual", sizes.virtuals},
                              {"tile", sizes.tile},         {"chains", view.all.chains},
                              {"gemms", view.all.gemms},    {"flops", view.all.flops},
                              {"levels", view.levels}};
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
                             {"depends_on", depends}});
  }
  return json;
}

std::string program_text(const std::string& path, const ProgramSizes& sizes) {
  const ProgramView view(path, sizes);
  std::string text = fmt::format(
      "{}: {} terms, {} occupied and {} virtual orbitals of each spin, tiles of at most {}\n", one_line(path),
      view.program.terms.size(), grouped(sizes.occupied), grouped(sizes.virtuals), grouped(sizes.tile));
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
  return text;
}

}  // namespace foretile
