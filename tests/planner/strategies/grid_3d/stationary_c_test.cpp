// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "planner/plan/owners.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/planner/random_case.hpp"

namespace foretile::stationary_c_stationary_c_test {
namespace {

using Tiles = std::vector<TileId>;
using Ints = std::vector<int>;

Settings with_strategy(Settings settings) {
  settings["strategy"] = "stationary-c";
  return settings;
}

int number(const Plan& plan, const char* key) {
  return std::stoi(plan.parameters.at(key));
}

/// Problems of random_case on up to 8 ranks with 1 to 4 devices; every parameter sometimes given.
RandomCase random_streaming_case(std::uint64_t seed) {
  Random random(seed);
  Contraction problem = random_small_contraction(random);
  problem.beta = random.integer(0, 1) == 1 ? 1 : 0;
  const int ranks = static_cast<int>(random.integer(1, 8));
  const std::int64_t device_bytes = random.integer(300, 20000);
  const int devices = static_cast<int>(random.integer(1, 4));
  Machine machine = small_machine(ranks, devices, device_bytes, std::int64_t{1} << 24);
  Settings settings;
  const auto sometimes = [&](const char* key, std::int64_t low, std::int64_t high) {
    if (random.integer(0, 3) == 0) settings[key] = fmt::to_string(random.integer(low, high));
  };
  sometimes("grid.p", 1, ranks);
  sometimes("b", 1, 6);
  sometimes("c", 1, 8);
  sometimes("d", 1, 6);
  sometimes("lookahead", 0, 5);
  sometimes("prefetch_c", 0, 1);
  sometimes("keep_received", 0, 1);
  sometimes("stagger", 0, 1);
  if (random.integer(0, 3) == 0) settings["device_rows"] = fmt::to_string(machine.devices_per_rank);
  settings["message_bytes"] = fmt::to_string(random.integer(1, 3000));
  settings["barriers"] = std::vector<std::string>{"none", "local", "global", "global"}[random.integer(0, 3)];
  return {std::move(problem), std::move(machine), with_strategy(std::move(settings))};
}

/// What the paper says of each product, straight from section 2; device_rows is 1 there.
struct Place {
  int rank, device, step;
  std::int32_t x, y;
};

Place place_of(const Plan& plan, const Contraction& p, int devices, std::int32_t i, std::int32_t j,
               std::int32_t k) {
  const ProcessGrid& g = plan.grid;
  const int b = number(plan, "b"), c = number(plan, "c"), d = number(plan, "d");
  const int most_rows = (p.m.tiles() + g.p - 1) / g.p;
  const int X = (most_rows + b - 1) / b;
  const int Z = (p.k.tiles() + d - 1) / d;
  const std::int32_t x = i / g.p / b, y = j / g.q / c;
  const int down = number(plan, "device_rows"), across = devices / down;
  const int device = (i / g.p) % down * across + (j / g.q) % across;
  return {(i % g.p) * g.q + j % g.q, device, (y * X + x) * Z + k / d, x, y};
}

using Task = std::tuple<int, int, int, std::int32_t, std::int32_t, std::int32_t>;  // rank device step i j k

std::set<Task> expected_tasks(const RandomCase& c, const Plan& plan) {
  const Contraction& p = c.problem;
  std::set<Task> tasks;
  for (std::int32_t i = 0; i < p.m.tiles(); ++i) {
    for (std::int32_t j = 0; j < p.n.tiles(); ++j) {
      for (std::int32_t k = 0; k < p.k.tiles(); ++k) {
        if (!p.a.contains(i, k) || !p.b.contains(k, j) || !p.c.contains(i, j)) continue;
        const Place at = place_of(plan, p, c.machine.devices_per_rank, i, j, k);
        tasks.emplace(at.rank, at.device, at.step, i, j, k);
      }
    }
  }
  return tasks;
}

/// The tile of A and all tiles of B that it may meet on the rank are the rank's own.
bool own(const Contraction& p, const Plan& plan, Rank rank, TileId a) {
  const std::int32_t k = p.a.column_of(a);
  return k % plan.grid.q == plan.grid.column(rank) && k % plan.grid.p == plan.grid.row(rank);
}

bool all_own(const Contraction& p, const Plan& plan, Rank rank, const Chunk& chunk) {
  return std::all_of(chunk.a.begin(), chunk.a.end(), [&](TileId a) { return own(p, plan, rank, a); });
}

/// All products of the plan, each once; also that nothing is empty or out of order: without barriers, own
/// chunks of a block come first.
std::set<Task> planned_tasks(const Contraction& p, const Plan& plan) {
  std::set<Task> tasks;
  for (Rank rank = 0; rank < plan.grid.size(); ++rank) {
    for (std::size_t device = 0; device < plan.ranks[rank].devices.size(); ++device) {
      using Turn = std::tuple<std::size_t, bool, int>;
      Turn last{0, false, -1};
      const auto& blocks = plan.ranks[rank].devices[device].blocks;
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        const Block& block = blocks[b];
        EXPECT_FALSE(block.chunks.empty());
        EXPECT_TRUE(std::is_sorted(block.columns.begin(), block.columns.end()));
        for (const Chunk& chunk : block.chunks) {
          const bool free = plan.barriers == Barriers::none;
          const Turn turn{free ? b : 0, free && !all_own(p, plan, rank, chunk), chunk.step};
          EXPECT_GT(turn, last);
          last = turn;
          EXPECT_FALSE(chunk.a.empty());
          std::int32_t last_k = 0;
          for (const TileId a : chunk.a) {
            const std::int32_t i = p.a.row_of(a), k = p.a.column_of(a);
            EXPECT_GE(k, last_k);
            last_k = k;
            bool any = false;
            for (const std::int32_t j : block.columns) {
              if (!p.b.contains(k, j) || !p.c.contains(i, j)) continue;
              any = true;
              EXPECT_TRUE(tasks.emplace(rank, device, chunk.step, i, j, k).second);
            }
            EXPECT_TRUE(any);
          }
        }
      }
    }
  }
  return tasks;
}

/// Bytes of C in the block's rows and columns, whether or not they have products.
std::int64_t c_bytes(const Contraction& p, const Block& block) {
  std::set<std::int32_t> rows;
  for (const Chunk& chunk : block.chunks) {
    for (const TileId a : chunk.a) rows.insert(p.a.row_of(a));
  }
  std::int64_t bytes = 0;
  for (const std::int32_t i : rows) {
    for (const std::int32_t j : block.columns) {
      if (p.c.contains(i, j)) bytes += 8 * p.m.size(i) * p.n.size(j);
    }
  }
  return bytes;
}

std::int64_t input_bytes(const Contraction& p, const Block& block, const Chunk& chunk) {
  std::set<TileId> b;
  std::int64_t bytes = 0;
  for (const TileId a : chunk.a) {
    bytes += p.a_bytes(a);
    for (const std::int32_t j : block.columns) {
      const auto id = p.b.find(p.a.column_of(a), j);
      if (id && p.c.contains(p.a.row_of(a), j)) b.insert(*id);
    }
  }
  for (const TileId id : b) bytes += p.b_bytes(id);
  return bytes;
}

/// Any 1 + lookahead successive chunks beside the C of the first one, or of all with prefetch_c.
std::int64_t peak_bytes(const Contraction& p, const Plan& plan, const DevicePlan& device) {
  std::vector<std::pair<std::size_t, std::int64_t>> chunks;
  std::vector<std::int64_t> c;
  for (const Block& block : device.blocks) {
    for (const Chunk& chunk : block.chunks) chunks.emplace_back(c.size(), input_bytes(p, block, chunk));
    c.push_back(c_bytes(p, block));
  }
  std::int64_t peak = 0;
  for (std::size_t z = 0; z < chunks.size(); ++z) {
    const std::size_t end = std::min(chunks.size(), z + 1 + plan.lookahead);
    std::int64_t bytes = 0;
    std::set<std::size_t> blocks{chunks[z].first};
    for (std::size_t w = z; w < end; ++w) {
      bytes += chunks[w].second;
      if (plan.prefetch_c) blocks.insert(chunks[w].first);
    }
    for (const std::size_t block : blocks) bytes += c[block];
    peak = std::max(peak, bytes);
  }
  return peak;
}

struct Interval {
  int first, last;
};

/// Per tile and receiving rank, by increasing step.
std::map<std::tuple<Matrix, TileId, int>, std::vector<Interval>> deliveries(const Contraction& p,
                                                                            const Plan& plan,
                                                                            std::int64_t message_bytes) {
  std::map<std::tuple<Matrix, TileId, int>, std::vector<Interval>> got;
  for (Rank rank = 0; rank < plan.grid.size(); ++rank) {
    std::tuple<int, std::int32_t, Matrix> last{0, 0, Matrix::a};
    for (const Transfer& b : plan.ranks[rank].transfers) {
      EXPECT_FALSE(b.tiles.empty());
      EXPECT_FALSE(b.others.empty());
      std::int64_t bytes = 0;
      for (const TileId tile : b.tiles) {
        EXPECT_EQ(owner_of(p, plan, {b.matrix, tile}), rank);
        const std::tuple order{b.step, b.matrix == Matrix::a ? p.a.column_of(tile) : p.b.row_of(tile),
                               b.matrix};
        EXPECT_LE(last, order);
        last = order;
        bytes += bytes_of(p, {b.matrix, tile});
        for (const int to : b.others) {
          EXPECT_NE(to, rank);
          got[{b.matrix, tile, to}].push_back({b.step, b.last_step});
        }
      }
      EXPECT_TRUE(b.tiles.size() == 1 || bytes <= message_bytes);
    }
  }
  return got;
}

/// Steps at which each rank that does not own the tile multiplies it.
std::map<std::tuple<Matrix, TileId, int>, std::set<int>> remote_uses(const Contraction& p, const Plan& plan,
                                                                     const std::set<Task>& tasks) {
  std::map<std::tuple<Matrix, TileId, int>, std::set<int>> uses;
  for (const auto& [rank, device, step, i, j, k] : tasks) {
    const TileId a = *p.a.find(i, k), b = *p.b.find(k, j);
    if (owner_of(p, plan, {Matrix::a, a}) != rank) uses[{Matrix::a, a, rank}].insert(step);
    if (owner_of(p, plan, {Matrix::b, b}) != rank) uses[{Matrix::b, b, rank}].insert(step);
  }
  return uses;
}

void check_deliveries(const RandomCase& c, const Plan& plan, const std::set<Task>& tasks) {
  const auto got = deliveries(c.problem, plan, std::stoll(c.settings.at("message_bytes")));
  const auto uses = remote_uses(c.problem, plan, tasks);
  const bool again = plan.barriers == Barriers::global && plan.parameters.at("keep_received") == "0";
  for (const auto& [key, steps] : uses) {
    const auto found = got.find(key);
    ASSERT_NE(found, got.end());
    const std::vector<Interval>& intervals = found->second;
    EXPECT_TRUE(again || intervals.size() == 1);
    for (std::size_t n = 0; n < intervals.size(); ++n) {
      EXPECT_LE(intervals[n].first, intervals[n].last);
      if (n > 0) {
        EXPECT_GT(intervals[n].first, intervals[n - 1].last + plan.lookahead);
      }
      const auto use = steps.lower_bound(intervals[n].first);
      EXPECT_TRUE(use != steps.end() && *use <= intervals[n].last) << "a delivery without a use";
      if (plan.barriers != Barriers::global) {
        EXPECT_EQ(intervals[n].last, kEver);
      }
    }
    for (const int step : steps) {
      EXPECT_TRUE(std::any_of(intervals.begin(), intervals.end(),
                              [&](Interval i) { return i.first <= step && step <= i.last; }));
    }
  }
  for (const auto& [key, intervals] : got) EXPECT_TRUE(uses.contains(key)) << "sent to a rank without use";
}

TEST(StationaryC, PlansAreThePapersForRandomCases) {
  int planned = 0;
  int refused = 0;
  int redundant = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    const RandomCase c = random_streaming_case(seed);
    Plan plan;
    try {
      plan = make_plan(c.problem, c.machine, c.settings);
      verify(plan, c.problem);  // where all sizes are given it alone says whether they fit
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(" are missing: "), std::string::npos) << error.what();
      ++refused;
      continue;
    }
    ++planned;
    for (const char* key : {"b", "c", "d"}) EXPECT_GE(number(plan, key), 1);
    EXPECT_EQ(plan.lookahead, number(plan, "lookahead"));
    const std::set<Task> tasks = expected_tasks(c, plan);
    ASSERT_EQ(planned_tasks(c.problem, plan), tasks);
    check_deliveries(c, plan, tasks);
    redundant += plan.barriers == Barriers::global;
    for (const RankPlan& rank : plan.ranks) {
      for (const DevicePlan& device : rank.devices) {
        EXPECT_LE(peak_bytes(c.problem, plan, device), plan.device_classes[0].memory_bytes);
      }
    }
  }
  EXPECT_GE(planned, 200);
  EXPECT_GE(refused, 10);
  EXPECT_GE(redundant, 50);
}

/// The parameters stored with a plan lead to the same plan.
TEST(StationaryC, ResolvedParametersGiveTheSamePlan) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const RandomCase c = random_streaming_case(seed);
    try {
      const Plan plan = make_plan(c.problem, c.machine, c.settings);
      const Plan again = make_plan(c.problem, c.machine, with_strategy(plan.parameters));
      EXPECT_EQ(again.parameters, plan.parameters);
      EXPECT_EQ(planned_tasks(c.problem, again), planned_tasks(c.problem, plan));
    } catch (const InputError&) {  // does not fit
    }
  }
}

Contraction dense(std::int32_t m, std::int32_t n, std::int32_t k, std::int64_t tile = 10) {
  return {"dense",
          Tiling::uniform(m * tile, tile),
          Tiling::uniform(n * tile, tile),
          Tiling::uniform(k * tile, tile),
          Shape::dense(m, k),
          Shape::dense(k, n),
          Shape::dense(m, n)};
}

/// 8 x 2 x 1 tiles on four ranks. The busiest multiplies 8 tiles of C with p = 1, 4 with 2, 6 with 3, 4
/// with 4. A rank receives, in tiles: with p = 2 half of 4 of A and of 1 of B, 2.5; with 4 three quarters of
/// 2 of B, 1.5.
TEST(StationaryC, OfTheFastestGridsTakesTheOneThatMovesLeast) {
  const Plan plan = make_plan(dense(8, 2, 1), small_machine(4, 1, 1 << 20, 1 << 20), with_strategy({}));
  EXPECT_EQ(number(plan, "grid.p"), 4);
}

/// One rank, two devices, 4 x 4 x 2 tiles of 800 bytes; b = 2, c = 4, d = 1: X = 2, Y = 1, Z = 2, step
/// 2 x + z. Device 1 has columns 1 and 3 and begins with the second row of each block: rows 1, 0; then 3, 2.
/// A_ik has id 2 i + k.
TEST(StationaryC, StaggeredChunksByHand) {
  const Plan plan = make_plan(dense(4, 4, 2), small_machine(1, 2, 1 << 20, 1 << 20),
                              with_strategy({{"b", "2"}, {"c", "4"}, {"d", "1"}}));
  const std::vector<Block>& blocks = plan.ranks[0].devices[1].blocks;
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].columns, (std::vector<std::int32_t>{1, 3}));
  ASSERT_EQ(blocks[1].chunks.size(), 2U);
  EXPECT_EQ(blocks[0].chunks[0].a, (Tiles{2, 0}));
  EXPECT_EQ(blocks[0].chunks[1].a, (Tiles{3, 1}));
  EXPECT_EQ(blocks[1].chunks[1].a, (Tiles{7, 5}));
  EXPECT_EQ(blocks[1].chunks[1].step, 3);
  const Plan plain = make_plan(dense(4, 4, 2), small_machine(1, 2, 1 << 20, 1 << 20),
                               with_strategy({{"b", "2"}, {"c", "4"}, {"d", "1"}, {"stagger", "0"}}));
  EXPECT_EQ(plain.ranks[0].devices[1].blocks[0].chunks[0].a, (Tiles{0, 2}));
}

/// Grid 2 x 2, 4 tiles of k: rank 3 owns A's and B's tiles with odd k.
TEST(StationaryC, WithoutBarriersOwnTilesComeFirst) {
  const auto ks_of_rank_3 = [](const char* barriers) {
    const Contraction problem = dense(2, 2, 4);
    const Plan plan = make_plan(problem, small_machine(4, 1, 1 << 20, 1 << 20),
                                with_strategy({{"d", "1"}, {"grid.p", "2"}, {"barriers", barriers}}));
    verify(plan, problem);
    Ints ks;
    for (const Chunk& chunk : plan.ranks[3].devices[0].blocks[0].chunks) ks.push_back(chunk.step);
    return ks;
  };
  EXPECT_EQ(ks_of_rank_3("none"), (Ints{1, 3, 0, 2}));
  EXPECT_EQ(ks_of_rank_3("local"), (Ints{0, 1, 2, 3}));
}

/// Grid 2 x 2 with 4 x 4 x 1 tiles, b = c = d = 1: X = Y = 2, Z = 1; steps (x, y): (0,0) 0, (1,0) 1, (0,1) 2,
/// (1,1) 3. Rank 0 owns A_00 and A_20 (x = 0 and 1; steps 0, 2 and 1, 3) and sends them along its row to rank
/// 1, B_00 and B_02 (y = 0 and 1; steps 0, 1 and 2, 3) along its column to rank 2. With lookahead 0 each is
/// sent twice; with lookahead 1, B's uses (one step apart) share a broadcast, A's (two apart) do not.
TEST(StationaryC, BroadcastsByHand) {
  const auto sent = [](const char* lookahead) {
    const Plan plan =
        make_plan(dense(4, 4, 1), small_machine(4, 1, 1 << 20, 1 << 20),
                  with_strategy({{"b", "1"}, {"c", "1"}, {"d", "1"}, {"lookahead", lookahead}}));
    std::vector<std::tuple<Matrix, TileId, int, int, int>> list;
    for (const Transfer& b : plan.ranks[0].transfers) {
      EXPECT_EQ(b.tiles.size(), 1U);
      EXPECT_EQ(b.others.size(), 1U);
      list.emplace_back(b.matrix, b.tiles[0], b.others[0], b.step, b.last_step);
    }
    return list;
  };
  using List = std::vector<std::tuple<Matrix, TileId, int, int, int>>;
  EXPECT_EQ(sent("0"), (List{{Matrix::a, 0, 1, 0, 0},
                             {Matrix::b, 0, 2, 0, 0},
                             {Matrix::a, 2, 1, 1, 1},
                             {Matrix::b, 0, 2, 1, 1},
                             {Matrix::a, 0, 1, 2, 2},
                             {Matrix::b, 2, 2, 2, 2},
                             {Matrix::a, 2, 1, 3, 3},
                             {Matrix::b, 2, 2, 3, 3}}));
  EXPECT_EQ(sent("1"), (List{{Matrix::a, 0, 1, 0, 0},
                             {Matrix::b, 0, 2, 0, 1},
                             {Matrix::a, 2, 1, 1, 1},
                             {Matrix::a, 0, 1, 2, 2},
                             {Matrix::b, 2, 2, 2, 3},
                             {Matrix::a, 2, 1, 3, 3}}));
}

/// 3 x 3 tiles of C. 6 ranks: 2 x 3 and 3 x 2 give the busiest rank 2 tiles, 1 x 6 gives it 3. 7 ranks: 1 x 7
/// would still give it 3, so one rank is left out. From 9 ranks on 3 rows give each rank one tile at most.
TEST(StationaryC, TheGridIsTheOneWithTheLeastBusyDevices) {
  for (const auto& [ranks, p, used] :
       {std::tuple(1, 1, 1), {2, 1, 2}, {6, 2, 6}, {7, 2, 6}, {12, 3, 12}, {36, 3, 36}}) {
    const Plan plan = make_plan(dense(3, 3, 3), small_machine(ranks, 1, 1 << 20, 1 << 20), with_strategy({}));
    EXPECT_EQ(plan.grid.p, p) << ranks;
    EXPECT_EQ(plan.parameters.at("grid.p"), fmt::to_string(p));
    EXPECT_EQ(plan.grid.size(), used);
  }
}

std::string refusal(const Contraction& p, const Machine& machine, const Settings& settings) {
  try {
    make_plan(p, machine, with_strategy(settings));
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(StationaryC, RefusesImpossibleSettings) {
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{{"grid.p", "0"},
                                                                                   {"grid.p", "squarest"},
                                                                                   {"b", "0"},
                                                                                   {"c", "-1"},
                                                                                   {"d", "1.5"},
                                                                                   {"lookahead", "-1"},
                                                                                   {"barriers", "some"},
                                                                                   {"prefetch_c", "yes"},
                                                                                   {"keep_received", "2"},
                                                                                   {"stagger", ""},
                                                                                   {"c_fraction", "nan"},
                                                                                   {"message_bytes", "0"}}) {
    const std::string said = refusal(dense(3, 3, 3), small_machine(3, 1, 1 << 20, 1 << 20), {{key, value}});
    EXPECT_NE(said.find(key), std::string::npos) << key << ": " << said;
  }
}

/// 68 x 68 tiles on 6 devices: 816 of 4624 tiles on the busiest device by columns alone (12 of 68), 782 in a
/// grid of 2 x 3 (34 x 23), on average 770.67.
TEST(StationaryC, DistributesTheRemainderInBothDimensions) {
  const Contraction p = dense(68, 68, 1);
  const auto imbalance = [&](const Settings& settings) {
    const Plan plan = make_plan(p, small_machine(1, 6, 1 << 24, 1 << 26), with_strategy(settings));
    return std::pair(plan.parameters.at("device_rows"), verify(plan, p).imbalance);
  };
  EXPECT_EQ(imbalance({{"device_rows", "1"}}).second, 816 / (4624 / 6.0));
  EXPECT_EQ(imbalance({}), std::pair(std::string("2"), 782 / (4624 / 6.0)));
  EXPECT_THROW(imbalance({{"device_rows", "4"}}), InputError);
}

std::vector<const Chunk*> chunks_of(const RankPlan& rank) {
  std::vector<const Chunk*> chunks;
  for (const DevicePlan& device : rank.devices) {
    for (const Block& block : device.blocks) {
      for (const Chunk& chunk : block.chunks) chunks.push_back(&chunk);
    }
  }
  return chunks;
}

/// A chunk keeps its tiles; those with which the rank can begin at once come first.
TEST(StationaryC, PutsOwnTilesOfAChunkFirst) {
  int moved = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    RandomCase c = random_streaming_case(seed);
    c.machine.platform.device.memory_bytes = 1 << 20;
    c.settings["own_first"] = "0";
    const Plan in_order = make_plan(c.problem, c.machine, c.settings);
    c.settings["own_first"] = "1";
    const Plan own_first = make_plan(c.problem, c.machine, c.settings);
    verify(own_first, c.problem);
    for (Rank rank = 0; rank < own_first.grid.size(); ++rank) {
      const auto before = chunks_of(in_order.ranks[rank]), after = chunks_of(own_first.ranks[rank]);
      ASSERT_EQ(before.size(), after.size());
      for (std::size_t z = 0; z < after.size(); ++z) {
        EXPECT_TRUE(std::is_permutation(before[z]->a.begin(), before[z]->a.end(), after[z]->a.begin(),
                                        after[z]->a.end()));
        EXPECT_TRUE(std::is_partitioned(after[z]->a.begin(), after[z]->a.end(),
                                        [&](TileId a) { return own(c.problem, own_first, rank, a); }));
        moved += before[z]->a != after[z]->a;
      }
    }
  }
  EXPECT_GT(moved, 0);
}

}  // namespace
}  // namespace foretile::stationary_c_stationary_c_test
