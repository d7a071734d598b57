// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/tensor_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"

namespace foretile {

TensorBlocks::TensorBlocks(TensorRules rules, const std::vector<LabelledTiles>& tiles,
                           const std::string& what)
    : rules_(std::move(rules)), ranges_(ranges_of(rules_.spaces, tiles)) {
  blocks_ = ordered_tuples(ranges_, rules_.groups, what);
  std::erase_if(blocks_, [&](const TileTuple& tuple) {
    return !is_allowed(tuple, ranges_, rules_.upper) ||
           (rules_.closed_shell && is_beta_alone(tuple, ranges_)) || !is_in_order(tuple, rules_.mirror);
  });
  if (rules_.slice) keep_slice(*rules_.slice, what);
  norms_.assign(blocks_.size(), 1.0F);
  constexpr double kMostElements = 1e17;  // their bytes fit 64 bits
  double elements = 0;
  for (const TileTuple& tuple : blocks_) {
    double block = 1;
    for (std::size_t p = 0; p < tuple.size(); ++p)
      block *= static_cast<double>(ranges_[p]->extents[static_cast<std::size_t>(tuple[p])]);
    elements += block;
  }
  if (elements > kMostElements)
    throw input_error(what, fmt::format("{:.2g} elements", elements),
                      fmt::format("at most {:.0e}", kMostElements), "take smaller extents");
}

void TensorBlocks::keep_slice(const TensorSlice& slice, const std::string& what) {
  const auto key_of = [&](const TileTuple& tuple) {
    TileTuple key;
    for (const std::size_t position : slice.positions) key.push_back(tuple[position]);
    return key;
  };
  std::map<TileTuple, double> weights;
  double all = 0;
  for (const TileTuple& tuple : blocks_) {
    const auto elements = static_cast<double>(elements_of(tuple, ranges_));
    weights[key_of(tuple)] += elements;
    all += elements;
  }
  const auto parts = static_cast<std::int64_t>(slice.parts);
  auto left = static_cast<std::int64_t>(weights.size());
  if (left < parts)
    throw input_error(what, fmt::format("{} slices", parts),
                      fmt::format("at most {}, as it has tuples of tiles to be cut", left),
                      "give fewer --slices, or smaller tiles");
  // The part of a key is that of its middle, as far as no part becomes empty.
  std::map<TileTuple, std::int64_t> part_of;
  double before = 0;
  std::int64_t part = -1;
  for (const auto& [key, weight] : weights) {
    const auto middle =
        static_cast<std::int64_t>((before + weight / 2) / all * static_cast<double>(slice.parts));
    part = std::clamp(middle, std::max<std::int64_t>({part, parts - left, 0}), part + 1);
    part_of[key] = part;
    before += weight;
    --left;
  }
  std::erase_if(blocks_, [&](const TileTuple& tuple) {
    return part_of.at(key_of(tuple)) != static_cast<std::int64_t>(slice.part);
  });
}

std::int64_t TensorBlocks::elements() const {
  std::int64_t sum = 0;
  for (BlockId block = 0; block < count(); ++block) sum += elements(block);
  return sum;
}

std::optional<BlockPlace> TensorBlocks::find(const TileTuple& tiles) const {
  BlockPlace place;
  place.order.axes = static_cast<std::uint8_t>(tiles.size());
  TileTuple sorted = tiles;
  std::array<std::uint8_t, kMostTensorIndices> source{};  // of each stored position
  for (std::uint8_t p = 0; p < place.order.axes; ++p) source.at(p) = p;
  if (rules_.closed_shell && is_beta_alone(tiles, ranges_)) {
    for (std::size_t p = 0; p < sorted.size(); ++p) sorted[p] = ranges_[p]->partner(sorted[p]);
  }
  if (!is_in_order(sorted, rules_.mirror)) {
    sorted = mirrored(sorted, rules_.mirror);
    for (std::size_t p = 0; p < sorted.size(); ++p)
      source.at(p) = static_cast<std::uint8_t>(rules_.mirror[p]);
  }
  // Insertion sort: each exchange of neighbours changes the sign.
  for (const IndexList& group : rules_.groups) {
    for (std::size_t i = 1; i < group.size(); ++i) {
      for (std::size_t j = i; j > 0 && sorted[group[j - 1]] > sorted[group[j]]; --j) {
        std::swap(sorted[group[j - 1]], sorted[group[j]]);
        std::swap(source.at(group[j - 1]), source.at(group[j]));
        place.order.negative = !place.order.negative;
      }
    }
  }
  const auto found = std::ranges::lower_bound(blocks_, sorted);
  if (found == blocks_.end() || *found != sorted) return std::nullopt;
  place.block = found - blocks_.begin();
  for (std::uint8_t p = 0; p < place.order.axes; ++p) place.order.from.at(source.at(p)) = p;
  return place;
}

void TensorBlocks::keep(const std::vector<BlockId>& kept) {
  std::vector<TileTuple> blocks;
  std::vector<float> norms;
  for (const BlockId block : kept) {
    blocks.push_back(tiles(block));
    norms.push_back(norm(block));
  }
  blocks_ = std::move(blocks);
  norms_ = std::move(norms);
}

}  // namespace foretile
