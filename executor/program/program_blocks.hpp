// SPDX-License-Identifier: BSD-3-Clause
// The blocks of a program's tensors that one rank keeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/id.hpp"
#include "executor/gpu/memory_pool.hpp"
#include "executor/program/program_numbers.hpp"
#include "executor/tiles/tile_buffer.hpp"
#include "planner/program/program_step.hpp"
#include "planner/tensor/fused_program.hpp"

namespace foretile {

/// The numbers of given tensors, block by block. From any thread.
class GivenBlocks {
 public:
  /// All must outlive this.
  GivenBlocks(const FusedProgram& program, const SpinOrbitals& orbitals, const ProgramNumbers& numbers)
      : program_(program), orbitals_(orbitals), numbers_(numbers) {}
  /// Writes a stored block.
  void fill(const ProgramBlock& block, double* to) const;
  /// Writes a tile that is made of one, which takes memory for it where it is permuted.
  void fill(const PermutedBlock& tile, double* to) const;

 private:
  const FusedProgram& program_;
  const SpinOrbitals& orbitals_;
  const ProgramNumbers& numbers_;
};

/// Writes a tile of A or B from its block.
void permute(const FusedProgram& program, const PermutedBlock& tile, const double* block, double* to);

class ProgramBlocks {
 public:
  /// All must outlive this. With `pinned`, which devices copy from and to, all blocks are there, as far as
  /// they fit.
  ProgramBlocks(const FusedProgram& program, const ProgramDistribution& distribution, Rank rank,
                MemoryPool* pinned = nullptr)
      : program_(program),
        distribution_(distribution),
        rank_(rank),
        pinned_(pinned),
        tensors_(program.tensors().size()) {}

  bool owns(const ProgramBlock& block) const { return distribution_.owner_of(block) == rank_; }
  std::int64_t bytes(const ProgramBlock& block) const;
  /// Makes the rank's blocks of a given tensor on `threads` threads.
  void make(std::size_t tensor, const GivenBlocks& given, int threads);
  /// Makes the rank's blocks of a tensor that are not there, with 0.
  void make_missing_zero(std::size_t tensor);
  /// Memory for a block of the rank, without numbers.
  void make_uninitialized(const ProgramBlock& block);
  bool has(const ProgramBlock& block) const { return tensors_[block.tensor].contains(block.block); }
  void drop(std::size_t tensor) { tensors_[tensor].clear(); }
  void drop(const ProgramBlock& block) { tensors_[block.tensor].erase(block.block); }
  /// Whether devices copy from and to it at full speed.
  bool is_pinned(const ProgramBlock& block) const {
    return pinned_ && pinned_->has(tensors_[block.tensor].at(block.block).data());
  }
  /// The rank's own, which were made.
  double* numbers(const ProgramBlock& block);
  const double* numbers(const ProgramBlock& block) const;

 private:
  const FusedProgram& program_;
  const ProgramDistribution& distribution_;
  Rank rank_;
  MemoryPool* pinned_;
  std::vector<std::unordered_map<BlockId, TileBuffer>> tensors_;
};

/// All elements of a tensor, the first index fastest, made of the stored blocks, which `numbers` finds: where
/// two antisymmetric indices are exchanged, of beta alone, and 0 elsewhere.
std::vector<double> all_elements(const FusedProgram& program, const SpinOrbitals& orbitals,
                                 std::size_t tensor, const std::function<const double*(BlockId)>& numbers);

/// What rank 0 needs while it gathers all results: all elements of each, and the stored blocks of one of
/// them.
double gathered_bytes(const FusedProgram& program, const SpinOrbitals& orbitals);

}  // namespace foretile
