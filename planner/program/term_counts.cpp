#include "planner/program/term_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/error.hpp"

namespace foretile {

namespace {

/// Tuples of tiles: how many, and the sum of the products of their extents. Both may be beyond 64 bits.
struct Tuples {
  double count = 1;
  double extents = 1;

  Tuples& operator*=(const Tuples& other) {
    count *= other.count;
    extents *= other.extents;
    return *this;
  }
  Tuples& operator+=(const Tuples& other) {
    count += other.count;
    extents += other.extents;
    return *this;
  }
};

constexpr Tuples kNone{0, 0};

/// Tuples of `size` tiles that do not decrease: sums over multisets, built up tile by tile.
Tuples not_decreasing(const std::vector<std::int64_t>& tiles, std::size_t size) {
  std::vector<Tuples> of_size(size + 1, kNone);
  of_size[0] = {};
  for (const std::int64_t extent : tiles) {
    for (std::size_t s = 1; s <= size; ++s)
      of_size[s] += {of_size[s - 1].count, of_size[s - 1].extents * static_cast<double>(extent)};
  }
  return of_size[size];
}

using Spins = std::map<std::string, Spin>;  // by the name of the index

/// All ways to give the indices spins, one after the other.
std::vector<Spins> all_spins(const std::vector<IndexGroup>& groups) {
  std::vector<Spins> all{{}};
  for (const IndexGroup& group : groups) {
    for (const TermIndex& index : group) {
      std::vector<Spins> more;
      for (const Spins& spins : all) {
        for (const Spin spin : {Spin::alpha, Spin::beta}) {
          more.push_back(spins);
          more.back()[index.name] = spin;
        }
      }
      all = std::move(more);
    }
  }
  return all;
}

/// Of tiles in increasing order, those of alpha come first.
Tuples tuples_of(const IndexGroup& group, const Spins& spins, const SpinTiles& tiles) {
  std::size_t alphas = 0;
  for (std::size_t i = 0; i < group.size(); ++i) {
    if (spins.at(group[i].name) == Spin::beta) continue;
    if (i > alphas) return kNone;
    ++alphas;
  }
  Tuples tuples = not_decreasing(tiles.of(Spin::alpha), alphas);
  tuples *= not_decreasing(tiles.of(Spin::beta), group.size() - alphas);
  return tuples;
}

Tuples tuples_of(const std::vector<IndexGroup>& groups, const Spins& spins,
                 const std::vector<SpinTiles>& tiles) {
  Tuples all;
  for (const IndexGroup& group : groups) all *= tuples_of(group, spins, tiles[group.front().space]);
  return all;
}

bool conserved(const TensorUse& use, const Spins& spins) {
  std::ptrdiff_t upper = 0;
  for (std::size_t i = 0; i < use.indices.size(); ++i) {
    if (spins.at(use.indices[i].name) == Spin::beta) upper += i < use.half() ? 1 : -1;
  }
  return upper == 0;
}

bool beta_alone(const TensorUse& use, const Spins& spins) {
  return !use.indices.empty() && std::ranges::all_of(use.indices, [&](const TermIndex& index) {
    return spins.at(index.name) == Spin::beta;
  });
}

/// Of a chain whose tile of the result has these spins.
Tuples products_of_chain(const ProgramTerm& term, const std::vector<IndexGroup>& summed,
                         const Spins& of_result, const std::vector<SpinTiles>& tiles) {
  Tuples products = kNone;
  for (Spins spins : all_spins(summed)) {
    spins.insert(of_result.begin(), of_result.end());
    const bool both =
        std::ranges::all_of(term.operands, [&](const TensorUse& use) { return conserved(use, spins); });
    if (both) products += tuples_of(summed, spins, tiles);
  }
  return products;
}

std::int64_t whole(double count, const std::string& where) {
  constexpr double kMost = 9007199254740992;  // 2^53: whole numbers to there are exact
  if (count <= kMost) return static_cast<std::int64_t>(count);
  throw input_error(where, fmt::format("{:.3g} products of tiles", count),
                    fmt::format("at most {:.3g}", kMost), "take larger tiles");
}

}  // namespace

TermCounts count_term(const ProgramTerm& term, const std::vector<SpinTiles>& tiles,
                      const std::string& source) {
  TermCounts counts;
  if (!term.is_product()) return counts;
  const std::vector<IndexGroup> result = groups_of_result(term), summed = summed_groups(term);
  double chains = 0, gemms = 0, shortest = 0, longest = 0;
  for (const Spins& spins : all_spins(result)) {
    if (!conserved(term.result, spins) || beta_alone(term.result, spins)) continue;
    const Tuples of_result = tuples_of(result, spins, tiles);
    const Tuples products = products_of_chain(term, summed, spins, tiles);
    if (of_result.count == 0 || products.count == 0) continue;
    chains += of_result.count;
    gemms += of_result.count * products.count;
    counts.flops += 2 * of_result.extents * products.extents;
    shortest = shortest == 0 ? products.count : std::min(shortest, products.count);
    longest = std::max(longest, products.count);
  }
  const std::string where = fmt::format("{}, line {}", source, term.line);
  counts.chains = whole(chains, where);
  counts.gemms = whole(gemms, where);
  counts.shortest = whole(shortest, where);
  counts.longest = whole(longest, where);
  return counts;
}

TermCounts sum_of(const std::vector<TermCounts>& terms, const std::string& source) {
  TermCounts sum;
  double chains = 0, gemms = 0;
  for (const TermCounts& term : terms) {
    chains += static_cast<double>(term.chains);
    gemms += static_cast<double>(term.gemms);
    sum.flops += term.flops;
  }
  sum.chains = whole(chains, source);
  sum.gemms = whole(gemms, source);
  return sum;
}

}  // namespace foretile
