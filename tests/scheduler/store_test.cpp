// SPDX-License-Identifier: BSD-3-Clause
// Store::lru against a device memory that is written down tile by tile.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/planner/dense_product.hpp"
#include "tests/planner/small_machine.hpp"
#include "tests/scheduler/fake_backend.hpp"

namespace foretile::store_test {
namespace {

using Tile = std::pair<Matrix, TileId>;

/// Room for `tiles` tiles of one size. The oldest tile that is in no use leaves first; only without any, the
/// oldest finished tile of C is written back.
class Reference {
 public:
  explicit Reference(std::size_t tiles) : tiles_(tiles) {}

  void product(const Tile& b, const Tile& a) {
    use(b);
    use(a);
    clean_.push_back(b);
    clean_.push_back(a);
    in_use_ = 1;  // C
  }
  void begin_c() {
    make_room();
    in_use_ = 1;
  }
  void end_c() {
    in_use_ = 0;
    ++dirty_;
  }

  std::int64_t hits = 0, loads = 0, evictions = 0, stores = 0;

 private:
  void use(const Tile& tile) {
    const auto found = std::ranges::find(clean_, tile);
    if (found != clean_.end()) {
      clean_.erase(found);
      ++hits;
    } else {
      make_room();
      ++loads;
    }
    ++in_use_;
  }
  void make_room() {
    if (in_use_ + clean_.size() + dirty_ < tiles_) return;
    if (!clean_.empty()) {
      clean_.pop_front();
      ++evictions;
    } else {
      --dirty_;
      ++stores;
    }
  }

  std::size_t tiles_;
  std::deque<Tile> clean_;
  std::size_t in_use_ = 0, dirty_ = 0;
};

/// Each tile of C is a block, each product a chunk, and nothing is loaded ahead: the order is the plan's,
/// whatever ends first. Memory is counted when C begins (its tile is in use from there on), and for each tile
/// of B and A.
TEST(StoreLru, KeepsFinishedTilesAsLongAsOthersAreInNoUse) {
  std::int64_t stores = 0, hits = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const auto extent = [&random] { return 2 * random.integer(1, 7); };
    const Contraction p = dense_product(extent(), extent(), extent(), 2);  // tiles of 32 bytes
    const std::int64_t tiles = random.integer(3, 40);
    SCOPED_TRACE(fmt::format("seed {}: {} tiles", seed, tiles));
    const Machine machine = small_machine(1, 1, 32 * tiles, 1 << 20);
    Plan plan = make_plan(p, machine,
                          {{"strategy", "stationary-c"},
                           {"b", "1"},
                           {"c", "1"},
                           {"d", "1"},
                           {"lookahead", "0"},
                           {"barriers", "none"},
                           {"copy_batch_bytes", "0"},
                           {"store", "lru"}});
    verify(plan, p);
    Reference reference(static_cast<std::size_t>(tiles));
    for (const Block& block : plan.ranks[0].devices[0].blocks) {
      reference.begin_c();
      for (const Chunk& chunk : block.chunks) {
        const TileId a = chunk.a.front();
        reference.product({Matrix::b, *p.b.find(p.a.column_of(a), block.columns.front())}, {Matrix::a, a});
      }
      reference.end_c();
    }
    SchedulerOptions options;
    options.devices.resize(1);
    FakeCluster cluster(plan, p, options, seed);
    cluster.run();
    ASSERT_TRUE(cluster.complaints.empty()) << cluster.complaints.front();
    const DeviceStatistics& found = cluster.ranks[0]->scheduler->statistics().devices[0];
    EXPECT_EQ(found.hits, reference.hits);
    EXPECT_EQ(found.host_loads, reference.loads);
    EXPECT_EQ(found.evictions, reference.evictions);
    EXPECT_EQ(found.d2h_bytes, 32 * p.c.nonzeros());
    stores += reference.stores;
    hits += reference.hits;
  }
  EXPECT_GT(stores, 100);
  EXPECT_GT(hits, 1000);
}

}  // namespace
}  // namespace foretile::store_test
