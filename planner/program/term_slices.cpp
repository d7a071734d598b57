// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/term_slices.hpp"

#include <numeric>
#include <utility>
#include <vector>

namespace foretile {

namespace {

/// Bytes of C by row, and by column, of a part.
struct Weights {
  std::vector<double> rows, columns;
};

Weights weights_of(const Contraction& p, const TermPart& part) {
  Weights weights{std::vector<double>(static_cast<std::size_t>(part.rows.count()), 0),
                  std::vector<double>(static_cast<std::size_t>(part.columns.count()), 0)};
  for (TileId tile = 0; tile < p.c.nonzeros(); ++tile) {
    const std::int32_t row = p.c.row_of(tile) - part.rows.begin;
    const std::int32_t column = p.c.column_of(tile) - part.columns.begin;
    if (row < 0 || row >= part.rows.count() || column < 0 || column >= part.columns.count()) continue;
    const auto bytes = static_cast<double>(p.c_bytes(tile));
    weights.rows[static_cast<std::size_t>(row)] += bytes;
    weights.columns[static_cast<std::size_t>(column)] += bytes;
  }
  return weights;
}

/// Both sides have some of the weight; nothing where one tile has all of it.
std::optional<std::pair<TileInterval, TileInterval>> cut(TileInterval interval,
                                                         const std::vector<double>& weights) {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  double before = 0;
  for (std::int32_t tile = 0; tile + 1 < interval.count(); ++tile) {
    before += weights[static_cast<std::size_t>(tile)];
    const double next = weights[static_cast<std::size_t>(tile) + 1];
    const bool nearest = before + next / 2 >= all / 2 || before + next >= all;
    if (before <= 0 || !nearest || before >= all) continue;
    const std::int32_t middle = interval.begin + tile + 1;
    return std::pair(TileInterval{interval.begin, middle}, TileInterval{middle, interval.end});
  }
  return std::nullopt;
}

bool rows_first(const FusedProgram& program, const ProgramDistribution& distribution, const TermPart& part) {
  const FusedProgramTerm& term = program.terms()[part.term];
  const bool a = distribution.is_on_demand(term.operands[0]);
  if (a != distribution.is_on_demand(term.operands[1])) return a;
  const JoinedProducts needed({ProductPart(term.product->contraction(), part.rows, part.columns)});
  const Traits bytes = traits(needed.contraction());
  return bytes.a_bytes >= bytes.b_bytes;
}

std::optional<std::array<TermPart, 2>> halves_of_copies(const FusedProgram& program, const TermPart& part) {
  const FusedProgramTerm& term = program.terms()[part.term];
  std::vector<double> bytes;
  for (std::int32_t copy = part.rows.begin; copy < part.rows.end; ++copy) {
    const BlockId from = term.copies[static_cast<std::size_t>(copy)].from;
    bytes.push_back(static_cast<double>(program.bytes(term.operands[0], from)));
  }
  const auto halves = cut(part.rows, bytes);
  if (!halves) return std::nullopt;
  return std::array<TermPart, 2>{TermPart{part.term, halves->first}, TermPart{part.term, halves->second}};
}

}  // namespace

std::optional<std::array<TermPart, 2>> halves_of(const FusedProgram& program,
                                                 const ProgramDistribution& distribution,
                                                 const TermPart& part) {
  const FusedProgramTerm& term = program.terms()[part.term];
  if (!term.is_product()) return halves_of_copies(program, part);
  const Weights weights = weights_of(term.product->contraction(), part);
  const bool rows = rows_first(program, distribution, part);
  for (const bool cut_rows : {rows, !rows}) {
    const auto halves = cut_rows ? cut(part.rows, weights.rows) : cut(part.columns, weights.columns);
    if (!halves) continue;
    std::array<TermPart, 2> parts{part, part};
    (cut_rows ? parts[0].rows : parts[0].columns) = halves->first;
    (cut_rows ? parts[1].rows : parts[1].columns) = halves->second;
    return parts;
  }
  return std::nullopt;
}

}  // namespace foretile
