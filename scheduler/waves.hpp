// SPDX-License-Identifier: BSD-3-Clause
// Products that may run at the same time, as a simulated device launches them and as a real one does.
#pragma once

#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

namespace foretile {

/// Splits the products of a batch into successive launches in which no tile of C occurs twice: the n-th
/// product on a tile of C is in wave n, so each tile keeps its order. One wave is the usual case. `Key` tells
/// the tiles of C apart.
template <class Key, class Work>
class Waves {
 public:
  /// Products in order.
  void add(Key c, const Work& product) {
    const std::size_t wave = count_[c]++;
    if (wave == waves_.size()) waves_.emplace_back();
    if (wave == used_) ++used_;
    waves_[wave].push_back(product);
  }
  void clear() {
    count_.clear();
    for (std::vector<Work>& wave : waves_) wave.clear();
    used_ = 0;
  }
  /// Those with products, in order.
  std::span<const std::vector<Work>> all() const { return {waves_.data(), used_}; }

 private:
  std::unordered_map<Key, std::size_t> count_;
  std::vector<std::vector<Work>> waves_;  // those behind `used_` are empty and keep their memory
  std::size_t used_ = 0;
};

}  // namespace foretile
