// SPDX-License-Identifier: BSD-3-Clause
// The terms of a program as the work of TAMM's ranks.
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

/// Of a rank.
struct TammSeconds {
  double get = 0, host = 0, product = 0;
};

/// Of a term: for each block of the result, for each block of the summed indices a step. All steps are alike.
struct TammTermWork {
  std::size_t number = 0;  ///< of the term
  std::size_t tensor = 0;  ///< its result
  std::int64_t sums = 1;   ///< steps of a block of the result
  TammSeconds step;
  TammSeconds result;  ///< behind the last step of a block of the result
  double bytes_of_step = 0, gemms_of_step = 0, flops_of_step = 0;
};

/// What of TammOptions decides the work of a term. Without `remake` a block of an on-demand intermediate is
/// made once: each of its uses has a share of that.
struct TammLosses {
  bool passes = true, remake = true, waiting = true;
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
  TammTermWork work_of(std::size_t number) const;
  void add_gets(TammTermWork& work, double blocks, double bytes) const;
  void add_product(TammTermWork& work, const ProgramTerm& term, double count) const;
  void add_making(TammTermWork& work, const ProgramTerm& term, const TensorUse& made) const;
  double host_seconds(double bytes) const;
  double product_seconds(double m, double n, double k) const;
  double tiles_of(const TermIndex& index) const;
  double block_bytes(const TensorUse& use) const;
  double extents(const std::vector<TermIndex>& indices) const;

  const Program& program_;
  const std::vector<LabelledTiles>& tiles_;
  const Machine& machine_;
  TammLosses losses_;
  std::vector<ProgramTensor> tensors_;
  std::vector<TermOrder> order_;
  int levels_ = 0;
  std::map<std::size_t, BlockLine> lines_;  // of tensors that terms write and store
};

}  // namespace foretile
