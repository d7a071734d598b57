#include "executor/host_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "executor/initial_tile.hpp"

namespace foretile {
namespace {

/// 2 x 2 tiles of each matrix; tile ids are 2 row + column.
Contraction problem() {
  const Shape dense = Shape::dense(2, 2);
  return {"p", Tiling({0, 2, 5}), Tiling({0, 6, 13}), Tiling({0, 4, 9}), dense, dense, dense, 11, true};
}

Plan streaming_plan() {
  Plan plan;
  plan.grid = {1, 2};
  plan.b_tiles = BTiles::stream;
  return plan;
}

/// Rank 0 owns the first columns. It computes C_00 and sends A_00 twice, for different steps, and B_00.
RankPlan part_of_rank_0() {
  RankPlan part;
  part.devices.resize(1);
  part.devices[0].blocks = {{{0}, {{{0}, 0}}}};
  part.broadcasts = {{{0}, {1}, Matrix::a, 0, 1}, {{0}, {1}, Matrix::b, 0, 1}, {{0}, {1}, Matrix::a, 4, 5}};
  return part;
}

bool is_initial(const Contraction& p, TileRef tile, const double* found) {
  const TileBuffer wanted = initial_tile(p, tile);
  return std::equal(wanted.elements().begin(), wanted.elements().end(), found);
}

/// What arrives when the pieces are sent.
std::shared_ptr<MessageBuffer> arrive(const Contraction& p, const HostStore& sender, int owner, int number) {
  std::vector<double> words;
  for (const auto piece : sender.message(owner, number))
    words.insert(words.end(), piece.begin(), piece.end());
  auto buffer = std::make_shared<MessageBuffer>(static_cast<std::int64_t>(words.size()));
  std::copy(words.begin(), words.end(), buffer->words());
  buffer->parse(p);
  return buffer;
}

TEST(HostStore, KeepsAnOwnTileOnceHoweverOftenItIsSent) {
  const Contraction p = problem();
  const HostStore host(p, streaming_plan(), part_of_rank_0(), 0);
  const TileRef a{Matrix::a, 0};
  const TileRef b{Matrix::b, 0};
  EXPECT_TRUE(is_initial(p, a, host.tile(a)));
  EXPECT_TRUE(is_initial(p, b, host.tile(b)));
  ASSERT_EQ(host.message(0, 0).size(), 2U);  // header, tile
  EXPECT_EQ(host.message(0, 0)[1].data(), host.tile(a));
  EXPECT_EQ(host.message(0, 1)[1].data(), host.tile(b));
  EXPECT_EQ(host.message(0, 2)[1].data(), host.tile(a));
  EXPECT_EQ(host.message(0, 2)[1].size(), 8U);
}

TEST(HostStore, MakesOnlyWhatIsUsedOrSent) {
  const Contraction p = problem();
  const HostStore host(p, streaming_plan(), part_of_rank_0(), 0);
  // A_10 and B_10 are rank 0's as well, but no chunk and no message has them.
  EXPECT_THROW(static_cast<void>(host.tile({Matrix::a, 2})), std::out_of_range);
  EXPECT_THROW(static_cast<void>(host.tile({Matrix::b, 2})), std::out_of_range);
  ASSERT_EQ(host.c.size(), 1U);
  EXPECT_TRUE(is_initial(p, {Matrix::c, 0}, host.c.at(0).data()));
}

TEST(HostStore, MakesNoInitialCWithoutAccumulate) {
  Contraction p = problem();
  p.accumulate = false;
  EXPECT_TRUE(HostStore(p, streaming_plan(), part_of_rank_0(), 0).c.empty());
}

TEST(HostStore, LeavesGeneratedTilesOfBToTheCores) {
  const Contraction p = problem();
  Plan plan = streaming_plan();
  plan.b_tiles = BTiles::stay;
  RankPlan part = part_of_rank_0();
  part.broadcasts.clear();
  const HostStore host(p, plan, part, 0);
  EXPECT_THROW(static_cast<void>(host.tile({Matrix::b, 0})), std::out_of_range);
}

TEST(HostStore, ForwardsAndReleasesWhatItReceived) {
  const Contraction p = problem();
  const HostStore sender(p, streaming_plan(), part_of_rank_0(), 0);
  HostStore receiver(p, streaming_plan(), {{{}}, {}}, 1);
  const TileRef b{Matrix::b, 0};
  receiver.keep(arrive(p, sender, 0, 1));
  EXPECT_TRUE(is_initial(p, b, receiver.tile(b)));
  const auto forwarded = arrive(p, receiver, 0, 1);
  EXPECT_EQ(forwarded->broadcast()->matrix, Matrix::b);
  EXPECT_TRUE(is_initial(p, b, forwarded->tiles()));
  receiver.release(0, 1);
  EXPECT_THROW(static_cast<void>(receiver.tile(b)), std::out_of_range);
}

TEST(HostStore, KeepsATileThatCameAgainWhenTheFirstMessageGoes) {
  const Contraction p = problem();
  const HostStore sender(p, streaming_plan(), part_of_rank_0(), 0);
  HostStore receiver(p, streaming_plan(), {{{}}, {}}, 1);
  receiver.keep(arrive(p, sender, 0, 0));
  receiver.keep(arrive(p, sender, 0, 2));
  receiver.release(0, 0);
  EXPECT_TRUE(is_initial(p, {Matrix::a, 0}, receiver.tile({Matrix::a, 0})));
}

// C's norms are sums of products of norms, which may lie beyond the largest float.
TEST(InitialTile, IsFiniteWhateverTheNorm) {
  const float largest = std::numeric_limits<float>::max();
  const Shape one(1, 1, {{0, 0, largest}});
  const Contraction p{
      "p", Tiling({0, 3}), Tiling({0, 3}), Tiling({0, 3}), one, one, symbolic_product(one, one, 0), 1, true};
  ASSERT_FALSE(std::isfinite(p.c.norm(0)));
  const TileBuffer c = initial_tile(p, {Matrix::c, 0});
  for (const double x : c.elements()) EXPECT_TRUE(std::isfinite(x) && std::abs(x) < 2.0 * largest);
}

}  // namespace
}  // namespace foretile
