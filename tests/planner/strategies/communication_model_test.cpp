// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/communication_model.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/planner/random_case.hpp"

namespace foretile::communication_model_test {
namespace {

/// 24 x 12 tiles of C, K_t = 10, on 2 x 3 processes of 2 devices; b = 4, c = 2, d = 5: X = 24 / 8 = 3,
/// Y = 12 / 6 = 2, Z = 2.
ModelSymbols by_hand() {
  ModelSymbols s;
  s.M_t = 24;
  s.K_t = 10;
  s.N_t = 12;
  s.p = 2;
  s.q = 3;
  s.G = 2;
  s.b = 4;
  s.c = 2;
  s.d = 5;
  return s;
}

TEST(CommunicationModel, BlocksAndChunks) {
  ModelSymbols s = by_hand();
  EXPECT_EQ(s.X(), 3);
  EXPECT_EQ(s.Y(), 2);
  EXPECT_EQ(s.Z(), 2);
  s.M_t = 25;  // 25 / 8, rounded up
  EXPECT_EQ(s.X(), 4);
}

/// (b (1 - 1/q) + c (1 - 1/p)) K_t X Y = (4 * 2/3 + 2 * 1/2) * 10 * 3 * 2 = 160 + 60 = 220 tiles; six
/// processes receive 1320 = (b (1 - 1/q) + c (1 - 1/p)) / (b c) M_t K_t N_t = (11/3) / 8 * 2880.
TEST(CommunicationModel, BetweenProcessesByHand) {
  EXPECT_DOUBLE_EQ(Comm_process(by_hand()).a, 160);
  EXPECT_DOUBLE_EQ(Comm_process(by_hand()).b, 60);
  EXPECT_DOUBLE_EQ(Comm_total(by_hand()).sum(), 1320);
  EXPECT_DOUBLE_EQ(Comm_total(by_hand()).sum(), 11.0 / 3 / 8 * 24 * 10 * 12);
}

/// Case a: M_t K_t / p + K_t N_t / (q G) + M_t N_t / (p q G) = 120 + 20 + 24; b: A twice (Y); c: B three
/// times (X) too.
TEST(CommunicationModel, OntoDevicesByHand) {
  EXPECT_DOUBLE_EQ(Comm_GPU(by_hand(), CommCase::a).sum(), 120 + 20 + 24);
  EXPECT_DOUBLE_EQ(Comm_GPU(by_hand(), CommCase::b).sum(), 240 + 20 + 24);
  EXPECT_DOUBLE_EQ(Comm_GPU(by_hand(), CommCase::c).sum(), 240 + 60 + 24);
}

/// Everything: 120 + 20 + bc/G = 4: 144 tiles. A by chunks: bd + c K_t / G + bc/G = 20 + 10 + 4 = 34.
TEST(CommunicationModel, CasesByHand) {
  EXPECT_EQ(comm_case(by_hand(), 144), CommCase::a);
  EXPECT_EQ(comm_case(by_hand(), 143), CommCase::b);
  EXPECT_EQ(comm_case(by_hand(), 34), CommCase::b);
  EXPECT_EQ(comm_case(by_hand(), 33), CommCase::c);
  // The same in bytes, with tiles of 8, 16 and 24: 160 + 160 + 96.
  EXPECT_EQ(comm_case(by_hand(), 416, {8, 16, 24}), CommCase::b);
  EXPECT_EQ(comm_case(by_hand(), 415, {8, 16, 24}), CommCase::c);
}

Contraction dense(std::int32_t m, std::int32_t n, std::int32_t k) {
  return {"dense",
          Tiling::uniform(10 * m, 10),
          Tiling::uniform(10 * n, 10),
          Tiling::uniform(10 * k, 10),
          Shape::dense(m, k),
          Shape::dense(k, n),
          Shape::dense(m, n)};
}

/// Where everything divides, and C is cut along both dimensions, the plan's messages are the model's.
TEST(CommunicationModel, PlansSendWhatItSays) {
  for (const char* barriers : {"global", "none"}) {
    const Contraction p = dense(24, 12, 10);
    const Machine machine = small_machine(6, 2, 40 * 800, 1 << 24);
    const Plan plan = make_plan(p, machine,
                                {{"strategy", "stationary-c"},
                                 {"grid.p", "2"},
                                 {"b", "4"},
                                 {"c", "2"},
                                 {"d", "5"},
                                 {"lookahead", "0"},
                                 {"barriers", barriers}});
    const auto predicted = predict_volumes(p, machine, plan);
    ASSERT_TRUE(predicted);
    std::int64_t bytes = 0;
    for (const RankPlan& rank : plan.ranks) {
      for (const Transfer& b : rank.transfers) {
        bytes += static_cast<std::int64_t>(b.tiles.size() * b.others.size()) * 800;
      }
    }
    EXPECT_NEAR(predicted->network_bytes, static_cast<double>(bytes), 1e-6);
    EXPECT_EQ(bytes, barriers[0] == 'g' ? 1320 * 800 : (240 * 2 + 120) * 800);
    EXPECT_EQ(predicted->case_name(), "b");
    EXPECT_NEAR(predicted->loaded_bytes, 12 * (240 + 20) * 800, 1e-6);
    EXPECT_NEAR(predicted->stored_bytes, 24 * 12 * 800, 1e-6);
    EXPECT_NEAR(predicted->device_tiles.sum(), 240 + 20 + 24, 1e-9);
  }
}

/// 4 x 6 tiles of C on a grid of 2 x 3 devices: each needs 2 rows of A and 2 columns of B, 2 tiles deep, and
/// keeps 4 tiles of C. Columns alone: 4 rows of A and 1 column of B.
TEST(CommunicationModel, KnowsDevicesInRows) {
  const Contraction p = dense(4, 6, 2);
  const Machine machine = small_machine(1, 6, 1 << 20, 1 << 24);
  for (const auto& [rows, a, b] : {std::tuple("2", 4, 4), {"1", 8, 2}}) {
    const Plan plan = make_plan(p, machine, {{"strategy", "stationary-c"}, {"device_rows", rows}});
    const auto predicted = predict_volumes(p, machine, plan);
    ASSERT_TRUE(predicted);
    EXPECT_NEAR(predicted->device_tiles.a, a, 1e-9);
    EXPECT_NEAR(predicted->device_tiles.b, b, 1e-9);
    EXPECT_NEAR(predicted->device_tiles.c, 4, 1e-9);
    EXPECT_NEAR(predicted->loaded_bytes, 6 * (a + b) * 800, 1e-6);
    EXPECT_EQ(verify(plan, p).h2d_bytes, 6 * (a + b) * 800);
  }
}

TEST(CommunicationModel, CIsLoadedWhereItAccumulates) {
  Contraction p = dense(2, 2, 2);
  const Settings settings{{"strategy", "stationary-c"}};
  const Machine machine = small_machine(1, 1, 1 << 20, 1 << 24);
  EXPECT_NEAR(predict_volumes(p, machine, make_plan(p, machine, settings))->loaded_bytes, 8 * 800, 1e-6);
  p.beta = 1;
  EXPECT_NEAR(predict_volumes(p, machine, make_plan(p, machine, settings))->loaded_bytes, 12 * 800, 1e-6);
}

TEST(CommunicationModel, SaysNothingOfOtherStrategies) {
  const Contraction p = dense(2, 2, 2);
  const Machine machine = small_machine(1, 1, 1 << 20, 1 << 24);
  EXPECT_FALSE(predict_volumes(p, machine, make_plan(p, machine, {{"strategy", "stationary-b"}})));
}

}  // namespace
}  // namespace foretile::communication_model_test
