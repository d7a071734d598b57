#include "simulator/waves.hpp"

namespace foretile {

void Waves::add(std::int32_t c_slot, const ProductSize& size) {
  const std::size_t wave = count_[c_slot]++;
  if (wave >= waves_.size()) waves_.resize(wave + 1);
  waves_[wave].push_back(size);
}

void Waves::clear() {
  count_.clear();
  for (std::vector<ProductSize>& wave : waves_) wave.clear();
}

}  // namespace foretile
