// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/fused_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "planner/tensor/program_slices.hpp"

namespace foretile {

namespace {

std::vector<std::int64_t> extents_of(const TileTuple& tiles, const TileRanges& ranges) {
  std::vector<std::int64_t> extents;
  for (std::size_t p = 0; p < tiles.size(); ++p)
    extents.push_back(ranges[p]->extents[static_cast<std::size_t>(tiles[p])]);
  return extents;
}

/// `axis_of` each position of the result: its axis in what is added.
template <class AxisOf>
std::vector<Addition> additions_of(const std::vector<ScatterTarget>& targets, double factor, bool negative,
                                   const AxisOf& axis_of) {
  std::vector<Addition> additions;
  for (const ScatterTarget& target : targets) {
    Addition addition{target.block, target.order, factor};
    for (std::uint8_t p = 0; p < target.order.axes; ++p)
      addition.order.from.at(p) = axis_of(target.order.from.at(p));
    if (target.order.negative != negative) addition.factor = -factor;
    additions.push_back(addition);
  }
  return additions;
}

}  // namespace

FusedProgram::FusedProgram(Program program, const ProgramSizes& sizes, const std::string& source)
    : as_given_(std::move(program)),
      program_(in_slices(as_given_, sizes.slices)),
      tiles_(spin_tiles_of(program_, sizes)),
      tensors_(tensors_of(program_)),
      order_(order_of_terms(program_, source)) {
  try {
    for (const ProgramTensor& tensor : tensors_)
      blocks_.push_back(std::make_unique<TensorBlocks>(tensor.rules, tiles_, text_of(tensor, program_)));
    terms_.resize(program_.terms.size());
    for (std::size_t number = 0; number < terms_.size(); ++number) fuse(number);
  } catch (const InputError& error) {
    throw within(source, error);
  }
  for (const TermOrder& order : order_) levels_ = std::max(levels_, order.level);
  lives_ = levels_of(program_, tensors_, order_);
}

void FusedProgram::fuse(std::size_t number) {
  const ProgramTerm& written = program_.terms[number];
  FusedProgramTerm& fused = terms_[number];
  fused.term = tensor_term(written);
  fused.result = number_of(written.result, tensors_);
  for (const TensorUse& use : written.operands) fused.operands.push_back(number_of(use, tensors_));
  fused.targets = std::make_unique<ScatterTargets>(fused.term, blocks(fused.result));
  if (!written.is_product()) return list_copies(fused);
  const auto bytes = [&](std::size_t tensor) { return static_cast<double>(blocks(tensor).elements()); };
  const Fusion fusion =
      best_fusion(fused.term, {bytes(fused.operands[0]), bytes(fused.operands[1]), bytes(fused.result)});
  fused.product = std::make_unique<FusedTerm>(
      fused.term, fusion, std::array{&blocks(fused.operands[0]), &blocks(fused.operands[1])}, tiles_, true, 0,
      &blocks(fused.result));
  fused.operands = {fused.operands[fusion.operand[0]], fused.operands[fusion.operand[1]]};
}

void FusedProgram::list_copies(FusedProgramTerm& fused) const {
  const IndexedTensor &result = fused.term.result, &operand = fused.term.operands[0];
  const TensorBlocks& from = blocks(fused.operands[0]);
  std::vector<std::uint8_t> position;  // in the operand, of each of the result
  for (const std::size_t index : result.indices)
    position.push_back(
        static_cast<std::uint8_t>(std::ranges::find(operand.indices, index) - operand.indices.begin()));
  const std::vector<IndexList> groups = positions_of(result_groups(fused.term), result.indices);
  for (const TileTuple& tiles : ordered_tuples(blocks(fused.result).ranges(), groups, result.name)) {
    const TensorBlocks& to = blocks(fused.result);
    if (is_beta_alone(tiles, to.ranges()) || (to.stores_some() && !to.stores(tiles))) continue;
    TileTuple of_operand(tiles.size());
    for (std::size_t p = 0; p < tiles.size(); ++p) of_operand[position[p]] = tiles[p];
    const auto place = from.find(of_operand);
    if (!place) continue;
    CopiedBlock copy{place->block, place->order, tiles};
    for (std::uint8_t p = 0; p < copy.order.axes; ++p)
      copy.order.from.at(p) = place->order.from.at(position[p]);
    fused.copies.push_back(std::move(copy));
  }
}

std::vector<std::size_t> FusedProgram::terms_of_level(int level) const {
  std::vector<std::size_t> terms;
  for (std::size_t t = 0; t < order_.size(); ++t) {
    if (order_[t].level == level) terms.push_back(t);
  }
  return terms;
}

std::vector<std::int64_t> FusedProgram::extents(std::size_t tensor, BlockId block) const {
  return extents_of(blocks(tensor).tiles(block), blocks(tensor).ranges());
}

std::vector<Addition> FusedProgram::additions(std::size_t term, TileId c_tile) const {
  const FusedProgramTerm& fused = terms_[term];
  return additions_of(fused.targets->of(fused.product->result_tiles(c_tile)), fused.term.factor, false,
                      [&](std::uint8_t position) { return fused.product->result_axes()[position]; });
}

std::vector<Addition> FusedProgram::additions(std::size_t term, const CopiedBlock& copy) const {
  const FusedProgramTerm& fused = terms_[term];
  return additions_of(fused.targets->of(copy.result), fused.term.factor, copy.order.negative,
                      [&](std::uint8_t position) { return copy.order.from.at(position); });
}

}  // namespace foretile
