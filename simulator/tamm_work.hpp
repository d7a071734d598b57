// SPDX-License-Identifier: BSD-3-Clause
// The terms of a program as the work of TAMM's ranks: which blocks each product gets from which nodes, and
// what it takes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "planner/tensor/program_tensors.hpp"
#include "planner/tensor/term_order.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// Blocks of a tensor on ranks: a line of numbers, cut into equal shares. A block is whole where it begins.
class BlockLine {
 public:
  /// `counts`: tiles of each index; `extents`: of their spaces. The last index is the fastest.
  BlockLine(const std::vector<std::int64_t>& counts, const std::vector<std::int64_t>& extents, int ranks);

  std::int64_t blocks() const { return static_cast<std::int64_t>(rank_of_.size()); }
  int rank_of(std::int64_t block) const { return rank_of_[static_cast<std::size_t>(block)]; }

 private:
  std::vector<std::int32_t> rank_of_;
};

/// A block that a product gets: its number is the sum of three parts.
struct TammFetch {
  const BlockLine* line = nullptr;
  std::vector<std::int64_t> of_result{0};  ///< by block of the result
  std::vector<std::int64_t> of_sum{0};     ///< by block of the summed indices
  std::vector<std::int64_t> of_inner{0};   ///< of an on-demand operand: by block of its own summed indices
  double bytes = 0;                        ///< of one that are got

  /// The first that a step gets; `sums` steps are of one block of the result.
  std::int64_t block(std::int64_t step, std::int64_t sums) const {
    return of_result[static_cast<std::size_t>(step / sums)] + of_sum[static_cast<std::size_t>(step % sums)];
  }
};

/// Seconds of a rank, in order.
struct TammSeconds {
  double host = 0, product = 0;

  double sum() const { return host + product; }
};

/// Of a term with products: for each block of the result, for each block of the summed indices a step.
struct TammTermWork {
  std::size_t number = 0;  ///< of the term
  std::size_t tensor = 0;  ///< its result
  std::int64_t sums = 1;   ///< steps of a block of the result
  std::vector<TammFetch> fetches;
  TammSeconds step;    ///< behind the fetches
  TammSeconds result;  ///< behind the last step of a block of the result
  double gemms_of_step = 0, flops_of_step = 0;
};

/// What of TammOptions decides the work of a term. Without `remake` a block of an on-demand intermediate is
/// made once: each of its uses has a share of that.
struct TammLosses {
  bool passes = true, remake = true;
};

class TammWork {
 public:
  /// The program and `tiles` must outlive this. Throws InputError as simulate_tamm().
  TammWork(const Program& program, const std::vector<LabelledTiles>& tiles, const Machine& machine,
           const std::string& source, TammLosses losses);

  int levels() const { return levels_; }
  /// The terms of a level, from 1, in the order of the text; those that make on-demand blocks are part of
  /// others.
  std::vector<TammTermWork> of_level(int level) const;
  const BlockLine& line(std::size_t tensor) const { return lines_.at(tensor); }
  /// Of the solver, by rank: passes over the results.
  std::vector<double> update_seconds() const;

 private:
  struct Counted;
  Counted counted(const TensorTerm& term) const;
  TammTermWork work_of(std::size_t number) const;
  void add_fetches(TammTermWork& work, const Counted& outer, std::size_t operand,
                   const ProgramTerm& term) const;
  void add_making(TammTermWork& work, const Counted& outer, const IndexedTensor& made, double bytes) const;
  TammFetch making_fetch(const Counted& outer, const IndexedTensor& made, const Counted& inner,
                         std::size_t part) const;
  double host_seconds(double bytes) const;
  double product_seconds(double m, double n, double k) const;
  double mean_extent(std::size_t space) const;
  double elements(const IndexList& spaces) const;
  IndexList spaces_of(const TensorUse& use) const;

  const Program& program_;
  const std::vector<LabelledTiles>& tiles_;
  const Machine& machine_;
  TammLosses losses_;
  std::vector<ProgramTensor> tensors_;
  std::vector<TermOrder> order_;
  int levels_ = 0;
  std::map<std::size_t, BlockLine> lines_;  // of tensors that are stored
};

}  // namespace foretile
