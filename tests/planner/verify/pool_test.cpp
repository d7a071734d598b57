// SPDX-License-Identifier: BSD-3-Clause
// Plans whose devices take each other's blocks.
#include <gtest/gtest.h>

#include "tests/planner/dense_product.hpp"
#include "tests/planner/verify/refused.hpp"

namespace foretile::pool_test {
namespace {

/// Tiles of 2 x 2 numbers, 32 bytes; C has two rows and three columns, K two tiles. Device 0 has a block of
/// two columns in chunks of one k, device 1 one of one column in one chunk. C of the first block takes 4
/// tiles, its chunks 2 of A and 2 of B each; the chunk of the second has 4 of A and 2 of B. So any block,
/// beside chunks of any: 4 + 2 x 6 tiles, 512 bytes. As listed, device 0 needs 4 + 2 x 4 and device 1 needs 2
/// + 6.
struct Example {
  Contraction problem = dense_product(4, 6, 4, 2);
  Plan plan;

  Example() {
    plan.partial_sums = true;
    plan.pool = Pool::open;
    plan.device_classes = {{DeviceKind::gpu, 512}, {DeviceKind::core, 600, 2}};
    plan.host_budget_bytes = 10000;
    RankPlan rank;
    rank.devices = {{{{{0, 1}, {{{0, 2}}, {{1, 3}}}}}, 0}, {{{{2}, {{{0, 2, 1, 3}}}}}, 1}};
    rank.sums = {{{0, 1, 3, 4}, {0}, {}, {}}, {{2, 5}, {0}, {}, {}}};
    plan.ranks = {rank};
  }
};

TEST(VerifyPool, EachBlockFitsEachDevice) {
  Example example;
  EXPECT_EQ(complaint(example.plan, example.problem), "");
  EXPECT_EQ(verify(example.plan, example.problem).peak_device_bytes, 512);
  example.plan.device_classes[0].memory_bytes = 511;
  expect_refused(example,
                 {"rank 0 device 0", "512 bytes for any of the rank's blocks", "1 bytes are missing"});
  example.plan.device_classes[0].memory_bytes = 512;
  example.plan.device_classes[1].memory_bytes = 500;
  expect_refused(example, {"rank 0 device 1", "budget of 500", "12 bytes are missing"});
}

TEST(VerifyPool, WithoutOneTheListedBlocksCount) {
  Example example;
  example.plan.pool = Pool::none;
  example.plan.ranks[0].sums[1].devices = {1};
  EXPECT_EQ(verify(example.plan, example.problem).peak_device_bytes, (4 + 2 * 4) * 32);
}

TEST(VerifyPool, PartsCountAsTheFirstDevices) {
  Example example;
  example.plan.ranks[0].sums[1].devices = {1};
  expect_refused(example, {"a sum with other devices"});
}

/// Device 1 has the second k of a column of device 0: whoever takes the blocks would mix the two parts.
TEST(VerifyPool, ARankHasOnePartOfATile) {
  Example example;
  auto& devices = example.plan.ranks[0].devices;
  devices[0].blocks = {{{0, 1, 2}, {{{0, 2}}}}};
  devices[1].blocks = {{{0, 1, 2}, {{{1, 3}}}}};
  expect_refused(example, {"a second part of C tile 0 on this rank", "at most one part on each rank"});
}

TEST(VerifyPool, OtherRanksMustNotNotice) {
  Example example;
  example.plan.barriers = Barriers::global;
  expect_refused(example, {"pool", "no barriers"});
  example.plan.barriers = Barriers::none;
  example.plan.prefetch_c = true;
  expect_refused(example, {"pool", "no prefetch_c"});
}

}  // namespace
}  // namespace foretile::pool_test
