// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/program_blocks.hpp"

#include <algorithm>

#include "executor/program/permute_block.hpp"
#include "executor/program/plain_program.hpp"
#include "executor/tiles/in_parallel.hpp"

namespace foretile {

void GivenBlocks::fill(const ProgramBlock& block, double* to) const {
  const TensorBlocks& blocks = program_.blocks(block.tensor);
  std::vector<std::int64_t> begins;
  for (std::size_t p = 0; p < blocks.ranges().size(); ++p)
    begins.push_back(orbitals_.begin(blocks.rules().spaces[p], blocks.tiles(block.block)[p]));
  numbers_.fill(program_.tensors()[block.tensor], begins, program_.extents(block.tensor, block.block), to);
}

void GivenBlocks::fill(const PermutedBlock& tile, double* to) const {
  if (tile.is_block()) return fill(tile.block, to);
  const TileBuffer buffer(program_.bytes(tile.block.tensor, tile.block.block));
  auto* const block = reinterpret_cast<double*>(buffer.data());
  fill(tile.block, block);
  permute(program_, tile, block, to);
}

void permute(const FusedProgram& program, const PermutedBlock& tile, const double* block, double* to) {
  const auto extents = permuted(program.extents(tile.block.tensor, tile.block.block), tile.order);
  PermutedAddition{extents, tile.order, 0, tile.factor, block, to}.run();
}

std::int64_t ProgramBlocks::bytes(const ProgramBlock& block) const {
  return program_.bytes(block.tensor, block.block);
}

void ProgramBlocks::make(std::size_t tensor, const GivenBlocks& given, int threads) {
  drop(tensor);
  std::vector<ProgramBlock> own;
  for (BlockId number = 0; number < program_.blocks(tensor).count(); ++number) {
    const ProgramBlock block{tensor, number};
    if (!owns(block)) continue;
    make_uninitialized(block);
    own.push_back(block);
  }
  in_parallel(own.size(), threads, [&](std::size_t n) { given.fill(own[n], numbers(own[n])); });
}

void ProgramBlocks::make_missing_zero(std::size_t tensor) {
  for (BlockId number = 0; number < program_.blocks(tensor).count(); ++number) {
    const ProgramBlock block{tensor, number};
    if (!owns(block) || has(block)) continue;
    make_uninitialized(block);
    std::fill_n(numbers(block), program_.blocks(tensor).elements(number), 0.0);
  }
}

void ProgramBlocks::make_uninitialized(const ProgramBlock& block) {
  tensors_[block.tensor].insert_or_assign(
      block.block, pinned_ ? TileBuffer(bytes(block), pinned_) : TileBuffer(bytes(block)));
}

double* ProgramBlocks::numbers(const ProgramBlock& block) {
  return reinterpret_cast<double*>(tensors_[block.tensor].at(block.block).data());
}

const double* ProgramBlocks::numbers(const ProgramBlock& block) const {
  return reinterpret_cast<const double*>(tensors_[block.tensor].at(block.block).data());
}

std::vector<double> all_elements(const FusedProgram& program, const SpinOrbitals& orbitals,
                                 std::size_t tensor, const std::function<const double*(BlockId)>& numbers) {
  const TensorBlocks& blocks = program.blocks(tensor);
  const IndexList& spaces = blocks.rules().spaces;
  std::vector<std::int64_t> extents, strides;
  std::int64_t elements = 1;
  for (const std::size_t space : spaces) {
    strides.push_back(elements);
    extents.push_back(orbitals.count(space));
    elements *= extents.back();
  }
  std::vector<double> all(static_cast<std::size_t>(elements), 0);
  for (const TileTuple& tiles : ordered_tuples(blocks.ranges(), {}, program.tensors()[tensor].name)) {
    const auto place = blocks.find(tiles);
    if (!place) continue;
    const std::vector<std::int64_t> stored = program.extents(tensor, place->block);
    std::vector<std::int64_t> begins, sizes, stored_strides(stored.size());
    std::int64_t stride = 1;
    for (std::size_t axis = 0; axis < stored.size(); ++axis) {
      stored_strides[axis] = stride;
      stride *= stored[axis];
    }
    for (std::size_t p = 0; p < tiles.size(); ++p) {
      begins.push_back(orbitals.begin(spaces[p], tiles[p]));
      sizes.push_back(stored[place->order.from.at(p)]);
    }
    const double* const from = numbers(place->block);
    for_each_element(begins, sizes, [&](const std::vector<std::int64_t>& at) {
      std::int64_t to = 0, source = 0;
      for (std::size_t p = 0; p < at.size(); ++p) {
        to += at[p] * strides[p];
        source += (at[p] - begins[p]) * stored_strides[place->order.from.at(p)];
      }
      all[static_cast<std::size_t>(to)] = place->order.negative ? -from[source] : from[source];
    });
  }
  return all;
}

double gathered_bytes(const FusedProgram& program, const SpinOrbitals& orbitals) {
  double all = 0, stored = 0;
  for (std::size_t t = 0; t < program.tensors().size(); ++t) {
    const ProgramTensor& tensor = program.tensors()[t];
    if (tensor.role != TensorRole::result) continue;
    all += plain_elements({tensor}, orbitals);
    stored = std::max(stored, static_cast<double>(program.blocks(t).elements()));
  }
  return (all + stored) * sizeof(double);
}

}  // namespace foretile
