#include "executor/gpu/waves.hpp"

#include <unordered_map>

namespace foretile {

std::vector<std::vector<TileProduct>> waves_of(std::span<const TileProduct> products) {
  std::vector<std::vector<TileProduct>> waves;
  std::unordered_map<const std::byte*, std::size_t> products_on;
  for (const TileProduct& product : products) {
    const std::size_t wave = products_on[product.c]++;
    if (wave == waves.size()) waves.emplace_back();
    waves[wave].push_back(product);
  }
  return waves;
}

}  // namespace foretile
