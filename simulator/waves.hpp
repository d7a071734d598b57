// Products of a batch, split so that no launch has two for the same tile of C.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "platforms/device_model.hpp"

namespace foretile {

class Waves {
 public:
  /// The n-th product of a tile of C goes to wave n. Products in order.
  void add(std::int32_t c_slot, const ProductSize& size);
  void clear();
  /// Those with products come first; the others are empty.
  std::span<const std::vector<ProductSize>> all() const { return waves_; }

 private:
  std::unordered_map<std::int32_t, std::size_t> count_;
  std::vector<std::vector<ProductSize>> waves_;
};

}  // namespace foretile
