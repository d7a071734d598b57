// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"
#include "tests/base/some_of.hpp"
#include "tests/planner/random_case.hpp"
#include "tests/planner/verify/plan_changes.hpp"
#include "tests/planner/verify/refused.hpp"

namespace foretile::random_changes_test {
namespace {

/// Most bytes that a device can hold at once, by brute force over the positions of the window of chunks.
std::int64_t most_device_bytes(const Plan& plan, const Contraction& p) {
  std::int64_t most = 0;
  for (const RankPlan& rank : plan.ranks) {
    for (const DevicePlan& device : rank.devices) {
      for (const Block& block : device.blocks) {
        std::map<TileId, std::int64_t> b;
        std::map<TileId, std::int64_t> c;
        for (const Chunk& chunk : block.chunks) {
          for (const TileId a : chunk.a) {
            for (const std::int32_t j : block.columns) {
              const auto b_tile = p.b.find(p.a.column_of(a), j);
              const auto c_tile = p.c.find(p.a.row_of(a), j);
              if (b_tile && c_tile) b[*b_tile] = p.b_bytes(*b_tile), c[*c_tile] = p.c_bytes(*c_tile);
            }
          }
        }
        std::int64_t fixed = 0;
        for (const auto& [tile, bytes] : b) fixed += bytes;
        for (const auto& [tile, bytes] : c) fixed += bytes;
        for (std::size_t z = 0; z < block.chunks.size(); ++z) {
          std::int64_t streamed = 0;
          for (std::size_t y = z;
               y < block.chunks.size() && y <= z + static_cast<std::size_t>(plan.lookahead); ++y) {
            for (const TileId a : block.chunks[y].a) streamed += p.a_bytes(a);
          }
          most = std::max(most, fixed + streamed);
        }
      }
    }
  }
  return most;
}

/// Changes one thing. Some changes are harmless.
void corrupt(Plan& plan, Random& random) {
  Block* const block = pick_block(plan, random);
  Block* const other = pick_block(plan, random);
  Chunk* const chunk = block ? pick(block->chunks, random) : nullptr;
  Transfer* const message = pick(pick(plan.ranks, random)->transfers, random);
  const auto number = [&](std::int64_t near) { return static_cast<std::int32_t>(odd_number(random, near)); };
  switch (random.integer(0, 15)) {
    case 0:
      if (chunk && !chunk->a.empty()) chunk->a.pop_back();
      break;
    case 1:
      if (chunk && !chunk->a.empty()) chunk->a.push_back(*pick(chunk->a, random));
      break;
    case 2:
      if (chunk && !chunk->a.empty()) *pick(chunk->a, random) = odd_number(random, chunk->a[0]);
      break;
    case 3:
      if (block && !block->columns.empty()) *pick(block->columns, random) = number(block->columns[0]);
      break;
    case 4:
      if (block && !block->columns.empty()) block->columns.push_back(number(block->columns.back()));
      break;
    case 5:
      if (block && !block->columns.empty()) block->columns.pop_back();
      break;
    case 6:
      if (block) block->chunks.push_back(random.integer(0, 1) == 0 || !chunk ? Chunk{} : Chunk(*chunk));
      break;
    case 7:
      if (block && other) std::swap(block->chunks, other->chunks);
      break;
    case 8:
      if (block && block->chunks.size() > 1) {  // join two chunks: the same products, more memory
        Chunk& last = block->chunks.back();
        Chunk& before = block->chunks[block->chunks.size() - 2];
        before.a.insert(before.a.end(), last.a.begin(), last.a.end());
        block->chunks.pop_back();
      }
      break;
    case 9:
      if (message && !message->others.empty()) *pick(message->others, random) = Rank::of(number(0));
      break;
    case 10:
      if (message && !message->tiles.empty()) *pick(message->tiles, random) = odd_number(random, 3);
      break;
    case 11:
      if (message) random.integer(0, 1) == 0 ? message->tiles.clear() : message->others.clear();
      break;
    case 12:
      plan.grid = random.integer(0, 1) == 0 ? ProcessGrid{plan.grid.q, plan.grid.p}
                                            : ProcessGrid{number(plan.grid.p), number(plan.grid.q)};
      break;
    case 13:
      plan.lookahead = number(plan.lookahead);
      break;
    case 14:
      plan.device_classes[0].memory_bytes = random.integer(-1, plan.device_classes[0].memory_bytes);
      break;
    default:
      if (random.integer(0, 1) == 0)
        plan.ranks.pop_back();
      else
        plan.staging_bytes = odd_number(random, plan.host_budget_bytes);
      break;
  }
}

TEST(Verify, NoChangeThatMattersPassesAndNothingCrashes) {
  int refused = 0;
  int accepted = 0;
  const auto seeds = static_cast<std::uint64_t>(some_of(200));
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const RandomCase c = seed % 3 == 0 ? random_local_case(seed) : random_case(seed);
    std::optional<Plan> plan;
    try {
      plan = make_plan(c.problem, c.machine, c.settings);
    } catch (const InputError&) {
      continue;
    }
    ASSERT_EQ(complaint(*plan, c.problem), "") << "seed " << seed;
    const Counts truth = products_of(*plan, c.problem);
    Random random(1000 + seed);
    for (int change = 0; change < 60; ++change) {
      SCOPED_TRACE(fmt::format("seed {} change {}", seed, change));
      Plan wrong = *plan;
      for (std::int64_t changes = random.integer(1, 3); changes > 0 && !wrong.ranks.empty(); --changes)
        corrupt(wrong, random);
      if (!complaint(wrong, c.problem).empty()) {
        ++refused;
        continue;
      }
      ++accepted;
      ASSERT_EQ(products_of(wrong, c.problem), truth);
      ASSERT_LE(most_device_bytes(wrong, c.problem), wrong.device_classes[0].memory_bytes);
    }
  }
  EXPECT_GT(refused, some_of(1000));
  EXPECT_GT(accepted, some_of(100));  // of changes without harm
}

}  // namespace
}  // namespace foretile::random_changes_test
