// SPDX-License-Identifier: BSD-3-Clause
#include "executor/backends/registered_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "executor/backends/host_store.hpp"
#include "executor/tiles/tile_extents.hpp"
#include "planner/plan/owners.hpp"
#include "planner/plan/products.hpp"
#include "planner/problem/tile_table.hpp"

namespace foretile {

namespace {

HostRange page_range(const HostRange& range, std::int64_t page_bytes) {
  const auto page = static_cast<std::uintptr_t>(page_bytes);
  const auto before = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(range.begin) % page);
  const std::int64_t pages = (before + range.bytes + page_bytes - 1) / page_bytes;
  return {range.begin - before, pages * page_bytes, range.read_only};
}

/// Ranges on one page must be one: a page is registered once. Others stay apart where they differ, for it is
/// for all of a range whether anybody may write.
bool belong_together(const HostRange& first, const HostRange& second) {
  const std::byte* const end = first.begin + first.bytes;
  const std::less<> before;
  return before(second.begin, end) || (second.begin == end && second.read_only == first.read_only);
}

/// Collects each tile once.
class CallersTiles {
 public:
  CallersTiles(const Contraction& contraction, const PlanFrame& frame, Rank rank, const TileStorage& storage)
      : problem_(contraction), frame_(frame), rank_(rank), storage_(storage) {}

  void add_own(TileRef tile) {
    if (owner_of(problem_, frame_, tile) == rank_) add(tile);
  }
  void add(TileRef tile) {
    if (seen_.contains(tile)) return;
    seen_[tile] = true;
    const std::optional<TileView> view = storage_.in_place(tile);
    const TileExtents extents = extents_of(problem_, tile);
    if (view && extents.gapless(*view) && extents.bytes() > 0)
      ranges.push_back({view->data, extents.bytes(), tile.matrix != Matrix::c});
  }

  /// Those that the rank's devices compute first parts of.
  void add_c_of(const Sum& sum) {
    if (sum.to || sum.devices.empty()) return;
    for (const TileId tile : sum.tiles) add({Matrix::c, tile});
  }

  std::vector<HostRange> ranges;

 private:
  const Contraction& problem_;
  const PlanFrame& frame_;
  Rank rank_;
  const TileStorage& storage_;
  TileTable<bool> seen_;
};

}  // namespace

std::vector<HostRange> whole_pages(std::vector<HostRange> ranges, std::int64_t page_bytes) {
  for (HostRange& range : ranges) range = page_range(range, page_bytes);
  std::sort(ranges.begin(), ranges.end(),
            [](const HostRange& x, const HostRange& y) { return std::less<>{}(x.begin, y.begin); });
  std::vector<HostRange> joined;
  for (const HostRange& range : ranges) {
    if (joined.empty() || !belong_together(joined.back(), range)) {
      joined.push_back(range);
      continue;
    }
    HostRange& last = joined.back();
    last.bytes = std::max(last.bytes, (range.begin - last.begin) + range.bytes);
    last.read_only = last.read_only && range.read_only;
  }
  return joined;
}

std::vector<HostRange> callers_tiles(const Contraction& p, const PlanFrame& frame, const RankPlan& plan,
                                     Rank rank, const TileStorage& storage) {
  CallersTiles tiles(p, frame, rank, storage);
  for (const DevicePlan& device : plan.devices) {
    for (const Block& block : device.blocks) {
      const BlockProducts products(p, block.columns);
      for (const Chunk& chunk : block.chunks) {
        for (const TileId a : chunk.a) {
          tiles.add_own({Matrix::a, a});
          products.for_each(a, [&](const Product& product) {
            if (!frame.operands.b.generated()) tiles.add_own({Matrix::b, product.b});
            if (!frame.partial_sums) tiles.add({Matrix::c, product.c});
          });
        }
      }
    }
  }
  if (frame.partial_sums && parts_become_c(p)) {
    for (const Sum& sum : plan.sums) tiles.add_c_of(sum);
  }
  return std::move(tiles.ranges);
}

RegisteredMemory::RegisteredMemory(Gpus& gpus, std::vector<HostRange> ranges) : gpus_(gpus) {
  for (const HostRange& range : whole_pages(std::move(ranges), ::sysconf(_SC_PAGESIZE))) {
    if (gpus_.register_host(range.begin, range.bytes, range.read_only)) {
      registered_.push_back(range.begin);
    } else {
      refused_bytes_ += range.bytes;
    }
  }
}

RegisteredMemory::~RegisteredMemory() {
  for (std::byte* const begin : registered_) gpus_.unregister_host(begin);
}

}  // namespace foretile
