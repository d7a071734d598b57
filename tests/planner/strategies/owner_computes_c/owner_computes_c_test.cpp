// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/random.hpp"
#include "planner/plan/owners.hpp"
#include "planner/plan/products.hpp"
#include "planner/problem/kinds/random.hpp"
#include "planner/strategies/owner_computes_c/distribute_tiles.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/planner/small_machine.hpp"

namespace foretile::owner_computes_c_test {
namespace {

constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

/// Tiles of one element; A and B have these tiles, C those of their product.
Contraction contraction(std::int32_t m, std::int32_t n, std::int32_t k, std::vector<Shape::Entry> a,
                        std::vector<Shape::Entry> b) {
  Shape of_a(m, k, std::move(a)), of_b(k, n, std::move(b));
  Shape of_c = symbolic_product(of_a, of_b, 0);
  return {"test", Tiling::uniform(m, 1), Tiling::uniform(n, 1), Tiling::uniform(k, 1), of_a, of_b, of_c, 1};
}

/// A_00 B_00 and A_01 B_10 in C_00, A_00 B_01 in C_01: of 2 flop each.
TEST(DistributeTiles, CountTheWorkOfATile) {
  const Contraction p = contraction(1, 2, 2, {{0, 0}, {0, 1}}, {{0, 0}, {0, 1}, {1, 0}});
  EXPECT_EQ(work_of_tiles(p), (std::vector<double>{4, 2}));
}

/// A dense C of 4 x 4 equal tiles on four ranks: 2 x 2 places, each with two rows and two columns.
TEST(DistributeTiles, GiveADensePartAGrid) {
  std::vector<Shape::Entry> a, b;
  for (std::int32_t i = 0; i < 4; ++i) a.push_back({i, 0}), b.push_back({0, i});
  const Contraction p = contraction(4, 4, 1, a, b);
  const auto owners = distribute_tiles(p, work_of_tiles(p), {0, 0, 0, 0});
  std::map<int, std::set<std::int32_t>> rows, columns;
  std::map<int, int> tiles;
  for (TileId c = 0; c < p.c.nonzeros(); ++c) {
    const int rank = owners[static_cast<std::size_t>(c)];
    rows[rank].insert(p.c.row_of(c));
    columns[rank].insert(p.c.column_of(c));
    ++tiles[rank];
  }
  ASSERT_EQ(tiles.size(), 4U);
  for (const auto& [rank, count] : tiles) {
    EXPECT_EQ(count, 4);
    EXPECT_EQ(rows[rank].size(), 2U);
    EXPECT_EQ(columns[rank].size(), 2U);
  }
}

/// A and B have 4 tiles of 8 bytes each, C is 4 x 4. On four ranks 2 x 2: both are sent twice; on two 1 x 2:
/// A twice, B once; to one rank each once. On seven no grid has more places than 2 x 3.
TEST(DistributeTiles, CountTheBytesOfTheirGrids) {
  std::vector<Shape::Entry> a, b;
  for (std::int32_t i = 0; i < 4; ++i) a.push_back({i, 0}), b.push_back({0, i});
  const Contraction p = contraction(4, 4, 1, a, b);
  EXPECT_EQ(distributed_bytes(p, 4), 2 * 32 + 2 * 32);
  EXPECT_EQ(distributed_bytes(p, 2), 2 * 32 + 32);
  EXPECT_EQ(distributed_bytes(p, 1), 32 + 32);
  EXPECT_EQ(distributed_bytes(p, 7), 3 * 32 + 2 * 32);
  EXPECT_EQ(operand_bytes(p, 4, {{"strategy", "owner-computes-c"}}), 128);
  EXPECT_FALSE(operand_bytes(p, 4, {{"strategy", "owner-computes-c"}, {"chain_pieces", "2"}}));
  EXPECT_FALSE(operand_bytes(p, 4, {{"strategy", "grid-3d"}}));
  EXPECT_FALSE(operand_bytes(p, 4, {}));
}

/// Two such parts that share eight ranks: 2 x 2 of them each.
TEST(DistributeTiles, GivePartsTheirShareOfTheRanks) {
  std::vector<Shape::Entry> a, b;
  for (std::int32_t i = 0; i < 8; ++i) a.push_back({i, i / 4}), b.push_back({i / 4, i});
  const Contraction p = contraction(8, 8, 2, a, b);
  const PlanContext context{.shares = std::vector<RankShare>(8, {0, 2})};
  const auto owners = distribute_tiles(p, work_of_tiles(p), std::vector<double>(8, 0), context);
  std::map<int, std::set<std::int32_t>> rows;
  for (TileId c = 0; c < p.c.nonzeros(); ++c) rows[owners[static_cast<std::size_t>(c)]].insert(p.c.row_of(c));
  ASSERT_EQ(rows.size(), 8U);
  for (const auto& [rank, of_rank] : rows) {
    ASSERT_EQ(of_rank.size(), 2U);
    EXPECT_EQ(*of_rank.begin() / 4, *of_rank.rbegin() / 4);
  }
}

/// Eight tiles without common rows and columns. The last four are pieces of one sum: each rank has one,
/// though rank 3 has least of the others.
TEST(DistributeTiles, KeepPartsThatShareTheRanksApart) {
  std::vector<Shape::Entry> diagonal;
  for (std::int32_t i = 0; i < 8; ++i) diagonal.push_back({i, i});
  const Contraction p = contraction(8, 8, 8, diagonal, diagonal);
  std::vector<RankShare> shares{{0, 1}, {1, 1}, {2, 1}, {3, 1}};
  shares.insert(shares.end(), 4, {4, 4});
  const auto owners =
      distribute_tiles(p, {100, 100, 100, 97, 1, 1, 1, 1}, std::vector<double>(4, 0), {.shares = shares});
  EXPECT_EQ(std::set<Rank>(owners.begin() + 4, owners.end()).size(), 4U);
}

/// Three pieces of a sum, of 2 to 9 rows and columns with tiles of 1 to 9 flop: each has ranks of its own,
/// whatever the tiles, and of them none has more than two heavy tiles more than another.
TEST(DistributeTiles, EvenOutPartsAmongTheirRanks) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const auto rows = static_cast<std::int32_t>(random.integer(2, 9)),
               columns = static_cast<std::int32_t>(random.integer(2, 9));
    std::vector<Shape::Entry> a, b;
    for (std::int32_t part = 0; part < 3; ++part) {
      for (std::int32_t i = 0; i < rows; ++i) a.push_back({part * rows + i, part});
      for (std::int32_t j = 0; j < columns; ++j) b.push_back({part, part * columns + j});
    }
    const Contraction p = contraction(3 * rows, 3 * columns, 3, a, b);
    std::vector<double> work;
    for (std::int32_t tile = 0; tile < rows * columns; ++tile)
      work.push_back(static_cast<double>(random.integer(1, 9)));
    for (int more = 0; more < 2; ++more) work.insert(work.end(), work.begin(), work.begin() + rows * columns);
    const PlanContext context{.neighbours = true,
                              .shares = std::vector<RankShare>(static_cast<std::size_t>(3 * rows), {0, 3})};
    const auto owners = distribute_tiles(p, work, std::vector<double>(12, 0), context);
    std::map<int, int> part_of;
    std::map<int, double> load;
    for (TileId c = 0; c < p.c.nonzeros(); ++c) {
      const int rank = owners[static_cast<std::size_t>(c)], part = p.c.row_of(c) / rows;
      EXPECT_EQ(part_of.try_emplace(rank, part).first->second, part);
      load[rank] += work[static_cast<std::size_t>(c)];
    }
    for (const auto& [rank, part] : part_of) {
      for (const auto& [other, of_other] : part_of) {
        const double more = part == of_other ? load[rank] - load[other] : 0;
        EXPECT_LE(more, 2 * 9 + 1) << rank << " " << other;
      }
    }
  }
}

/// Eight rows and columns on four ranks: each has four neighbours of either.
TEST(DistributeTiles, GiveRunsToRanks) {
  std::vector<Shape::Entry> a, b;
  for (std::int32_t i = 0; i < 8; ++i) a.push_back({i, 0}), b.push_back({0, i});
  const Contraction p = contraction(8, 8, 1, a, b);
  const auto owners = distribute_tiles(p, work_of_tiles(p), std::vector<double>(4, 0), {.neighbours = true});
  for (TileId c = 0; c < p.c.nonzeros(); ++c) {
    const TileId corner = p.c.first(p.c.row_of(c) / 4 * 4) + p.c.column_of(c) / 4 * 4;
    EXPECT_EQ(owners[static_cast<std::size_t>(c)], owners[static_cast<std::size_t>(corner)]);
  }
}

/// Of four tiles two are for rank 1: the others, of another part, go to rank 0.
TEST(DistributeTiles, LeaveTilesWhereTheyAreToBe) {
  std::vector<Shape::Entry> diagonal;
  for (std::int32_t i = 0; i < 4; ++i) diagonal.push_back({i, i});
  const Contraction p = contraction(4, 4, 4, diagonal, diagonal);
  const PlanContext context{.c_owners = {Rank(1), std::nullopt, Rank(1), std::nullopt}};
  EXPECT_EQ(distribute_tiles(p, work_of_tiles(p), {0, 0}, context), (std::vector<Rank>{1, 0, 1, 0}));
}

/// Two parts without a common row or column: one tile with three products, and three tiles with one each. On
/// two ranks the first has the one, the second the others.
TEST(DistributeTiles, GiveHeavyPartsToThoseWhoHaveLeast) {
  const Contraction p = contraction(4, 2, 4, {{0, 0}, {0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 3}},
                                    {{0, 0}, {1, 0}, {2, 0}, {3, 1}});
  const auto work = work_of_tiles(p);
  ASSERT_EQ(work, (std::vector<double>{6, 2, 2, 2}));
  const auto owners = distribute_tiles(p, work, {0, 0});
  std::map<int, double> load;
  for (std::size_t c = 0; c < owners.size(); ++c) load[owners[c]] += work[c];
  EXPECT_EQ(load[0], 6);
  EXPECT_EQ(load[1], 6);
}

/// The same where rank 1 has 6 flop to do before: the heavy tile goes to rank 0, a light one too, since then
/// both have 8 or 10 of 18 flop.
TEST(DistributeTiles, EvenOutWhatRanksHaveBefore) {
  const Contraction p = contraction(4, 2, 4, {{0, 0}, {0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 3}},
                                    {{0, 0}, {1, 0}, {2, 0}, {3, 1}});
  const auto work = work_of_tiles(p);
  const auto owners = distribute_tiles(p, work, {0, 6});
  std::map<int, double> load{{1, 6}};
  for (std::size_t c = 0; c < owners.size(); ++c) load[owners[c]] += work[c];
  EXPECT_EQ(load[0] + load[1], 18);
  EXPECT_LE(std::abs(load[0] - load[1]), 2);
}

Settings defaults(const Settings& changes) {
  Settings settings = changes;
  settings["strategy"] = "owner-computes-c";
  return settings;
}

/// Tiles of A and B stay where they are, and a device that is busy gets less.
TEST(OwnerComputesC, LeavesTilesAndEvensOutDevices) {
  std::vector<Shape::Entry> a, b;
  for (std::int32_t i = 0; i < 8; ++i) a.push_back({i, 0}), b.push_back({0, i});
  const Contraction p = contraction(8, 8, 1, a, b);
  PlanContext context;
  context.a.owners.assign(8, 1);
  context.b.owners.assign(8, 0);
  context.flops_before = {0, 32, 0, 0};  // of 4 devices: with the 128 flop here each has 40 on average
  const Machine machine = small_machine(2, 2, kPlenty, kPlenty);
  const Plan plan = make_plan(p, machine, defaults({}), {}, context);
  EXPECT_EQ(owner_of(p, plan, {Matrix::a, 3}), 1);
  EXPECT_EQ(owner_of(p, plan, {Matrix::b, 3}), 0);
  std::vector<double> load = context.flops_before;
  for (std::size_t device = 0; device < 4; ++device) {
    for (const Block& block : plan.ranks[device / 2].devices[device % 2].blocks)
      load[device] += block_flops(p, block);
  }
  for (const double one : load) EXPECT_NEAR(one, 40, 4);
  EXPECT_EQ(verify(plan, p).gemms, 64);
}

/// Random block-sparse products on one to six ranks: the verifier proves the plans, no rank has much more
/// work than the mean but for a tile, and pieces of one tile are on different devices.
TEST(OwnerComputesC, PlansAreProvenAndBalanced) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    RandomParameters parameters{random.integer(20, 60), random.integer(20, 60), random.integer(20, 60)};
    parameters.tile_min = 2, parameters.tile_max = 6;
    parameters.a_density = 0.2 + 0.8 * random.real(), parameters.b_density = 0.2 + 0.8 * random.real();
    parameters.seed = seed;
    Contraction p = random_contraction(parameters);
    p.sources = {};
    const int ranks = static_cast<int>(random.integer(1, 6));
    const Machine machine = small_machine(ranks, 3, kPlenty, kPlenty);
    const bool chain = random.integer(0, 1) == 1;
    const Plan plan = make_plan(p, machine, defaults({{"chain_pieces", chain ? "1" : "auto"}}));
    EXPECT_NO_THROW(verify(plan, p));
    const auto owners = owners_of_c(p, plan);
    const auto work = work_of_tiles(p);
    std::vector<double> load(static_cast<std::size_t>(ranks), 0);
    double all = 0, largest = 0;
    for (std::size_t c = 0; c < work.size(); ++c) {
      load[static_cast<std::size_t>(static_cast<int>(owners[c]))] += work[c];
      all += work[c];
      largest = std::max(largest, work[c]);
    }
    EXPECT_LE(*std::ranges::max_element(load), 1.05 * all / ranks + largest);
    for (const RankPlan& rank : plan.ranks) {
      for (const Sum& sum : rank.sums) {
        EXPECT_FALSE(sum.to || !sum.from.empty()) << "sums stay on their rank";
        EXPECT_TRUE(!chain || sum.devices.size() == 1);
      }
    }
  }
}

TEST(OwnerComputesC, TermsOfProgramsAreDistributedUnlessSomebodySaysOtherwise) {
  EXPECT_EQ(settings_for_terms({}).at("strategy"), "owner-computes-c");
  EXPECT_EQ(settings_for_terms({{"chain_pieces", "1"}}).at("strategy"), "owner-computes-c");
  EXPECT_EQ(settings_for_terms({{"strategy", "grid-3d"}}).at("strategy"), "grid-3d");
  EXPECT_FALSE(settings_for_terms({{"grid", "1x1x2"}}).contains("strategy"));
}

}  // namespace
}  // namespace foretile::owner_computes_c_test
