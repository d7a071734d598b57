#include "scheduler/holders.hpp"

#include <algorithm>
#include <bit>

namespace foretile {

std::optional<MemoryPlace> Holders::source(TileRef tile, int device, const std::vector<int>& sockets) const {
  const auto found = entries_.find(tile);
  if (found == entries_.end()) return kHost;
  const std::uint64_t others = found->second.devices & ~(1ULL << device);
  if (others == 0) return found->second.coming > 0 ? std::nullopt : std::optional(kHost);
  std::uint64_t near = 0;
  for (std::size_t d = 0; d < sockets.size(); ++d) {
    if (sockets[d] == sockets[device]) near |= 1ULL << d;
  }
  return std::countr_zero(others & near ? others & near : others);
}

void Holders::load_started(TileRef tile, double arrival_s) {
  Entry& entry = entries_[tile];
  entry.expected_s = entry.coming == 0 ? arrival_s : std::min(entry.expected_s, arrival_s);
  ++entry.coming;
}

void Holders::load_ended(TileRef tile, int device) {
  Entry& entry = entries_[tile];
  --entry.coming;
  entry.devices |= 1ULL << device;
}

void Holders::left(TileRef tile, int device) {
  const auto found = entries_.find(tile);
  if (found == entries_.end()) return;
  found->second.devices &= ~(1ULL << device);
  if (found->second.devices == 0 && found->second.coming == 0) entries_.erase(found);
}

}  // namespace foretile
