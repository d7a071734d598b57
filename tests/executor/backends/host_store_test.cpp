// SPDX-License-Identifier: BSD-3-Clause
#include "executor/backends/host_store.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory_resource>
#include <stdexcept>
#include <thread>

#include "executor/tiles/initial_tile.hpp"

namespace foretile::host_store_test {
namespace {

/// 2 x 2 tiles of each matrix; tile ids are 2 row + column.
Contraction problem() {
  const Shape dense = Shape::dense(2, 2);
  return {"p", Tiling({0, 2, 5}), Tiling({0, 6, 13}), Tiling({0, 4, 9}), dense, dense, dense, 11, true};
}

Plan streaming_plan() {
  Plan plan;
  plan.grid = {1, 2};
  return plan;
}

/// Rank 0 owns the first columns. It computes C_00 and sends A_00 twice, for different steps, and B_00.
RankPlan part_of_rank_0() {
  RankPlan part;
  part.devices.resize(1);
  part.devices[0].blocks = {{{0}, {{{0}, 0}}}};
  part.transfers = {{{0}, {1}, Matrix::a, 0, 1}, {{0}, {1}, Matrix::b, 0, 1}, {{0}, {1}, Matrix::a, 4, 5}};
  return part;
}

bool is_initial(const Contraction& p, TileRef tile, const std::byte* found) {
  const TileBuffer wanted = initial_tile(p, tile);
  return std::equal(wanted.bytes().begin(), wanted.bytes().end(), found);
}

/// What arrives when the pieces are sent.
std::shared_ptr<MessageBuffer> arrive(const Contraction& p, const HostStore& sender, Rank owner, int number) {
  const auto pieces = sender.message(owner, number);
  const std::vector<std::byte> envelope = message_envelope(pieces.front().bytes(), {});
  auto buffer = std::make_shared<MessageBuffer>(std::ssize(envelope));
  std::copy(envelope.begin(), envelope.end(), buffer->envelope().begin());
  buffer->parse(p);
  std::byte* to = buffer->tiles();
  for (const MessagePiece& tile : std::span(pieces).subspan(1)) {
    EXPECT_TRUE(tile.gapless());
    to = std::copy(tile.bytes().begin(), tile.bytes().end(), to);
  }
  EXPECT_EQ(to - buffer->tiles(), buffer->tile_bytes());
  return buffer;
}

TEST(HostStore, KeepsAnOwnTileOnceHoweverOftenItIsSent) {
  const Contraction p = problem();
  const HostStore host(p, streaming_plan(), part_of_rank_0(), 0);
  const TileRef a{Matrix::a, 0};
  const TileRef b{Matrix::b, 0};
  EXPECT_TRUE(is_initial(p, a, host.tile(a).data));
  EXPECT_TRUE(is_initial(p, b, host.tile(b).data));
  ASSERT_EQ(host.message(0, 0).size(), 2U);  // header, tile
  EXPECT_EQ(host.message(0, 0)[1].view.data, host.tile(a).data);
  EXPECT_EQ(host.message(0, 1)[1].view.data, host.tile(b).data);
  EXPECT_EQ(host.message(0, 2)[1].view.data, host.tile(a).data);
  EXPECT_EQ(host.message(0, 2)[1].size(), 8 * 8);
}

TEST(HostStore, MakesOnlyWhatIsUsedOrSent) {
  const Contraction p = problem();
  const HostStore host(p, streaming_plan(), part_of_rank_0(), 0);
  // A_10 and B_10 are rank 0's as well, but no chunk and no message has them.
  EXPECT_THROW(static_cast<void>(host.tile({Matrix::a, 2}).data), std::out_of_range);
  EXPECT_THROW(static_cast<void>(host.tile({Matrix::b, 2}).data), std::out_of_range);
  ASSERT_EQ(host.c.size(), 1U);
  EXPECT_TRUE(is_initial(p, {Matrix::c, 0}, host.c.at(0).data()));
}

TEST(HostStore, MakesNoInitialCWithoutAccumulate) {
  Contraction p = problem();
  p.beta = 0;
  EXPECT_TRUE(HostStore(p, streaming_plan(), part_of_rank_0(), 0).c.empty());
}

TEST(HostStore, LeavesGeneratedTilesOfBToTheCores) {
  const Contraction p = problem();
  Plan plan = streaming_plan();
  plan.operands.b = kGeneratedAndStays;
  RankPlan part = part_of_rank_0();
  part.transfers.clear();
  const HostStore host(p, plan, part, 0);
  EXPECT_THROW(static_cast<void>(host.tile({Matrix::b, 0}).data), std::out_of_range);
}

TEST(HostStore, ForwardsAndReleasesWhatItReceived) {
  const Contraction p = problem();
  const HostStore sender(p, streaming_plan(), part_of_rank_0(), 0);
  HostStore receiver(p, streaming_plan(), {{{}}, {}}, 1);
  const TileRef b{Matrix::b, 0};
  receiver.keep(arrive(p, sender, 0, 1));
  EXPECT_TRUE(is_initial(p, b, receiver.tile(b).data));
  const auto forwarded = arrive(p, receiver, 0, 1);
  EXPECT_EQ(forwarded->transfer()->matrix, Matrix::b);
  EXPECT_TRUE(is_initial(p, b, forwarded->tiles()));
  receiver.release(0, 1);
  EXPECT_THROW(static_cast<void>(receiver.tile(b).data), std::out_of_range);
}

TEST(HostStore, KeepsATileThatCameAgainWhenTheFirstMessageGoes) {
  const Contraction p = problem();
  const HostStore sender(p, streaming_plan(), part_of_rank_0(), 0);
  HostStore receiver(p, streaming_plan(), {{{}}, {}}, 1);
  receiver.keep(arrive(p, sender, 0, 0));
  receiver.keep(arrive(p, sender, 0, 2));
  receiver.release(0, 0);
  EXPECT_TRUE(is_initial(p, {Matrix::a, 0}, receiver.tile({Matrix::a, 0}).data));
}

/// Counts what is taken, and that all of it comes back, on the thread that made this.
class CountingMemory : public std::pmr::memory_resource {
 public:
  ~CountingMemory() override { EXPECT_EQ(held, 0U); }
  std::size_t held = 0;
  std::size_t pieces = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    EXPECT_EQ(std::this_thread::get_id(), owner_);
    held += bytes;
    ++pieces;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    EXPECT_EQ(std::this_thread::get_id(), owner_);
    held -= bytes;
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
  std::thread::id owner_ = std::this_thread::get_id();
};

TEST(HostStore, TakesAllItsMemoryFromTheResource) {
  const Contraction p = problem();
  CountingMemory memory;
  HostStore host(p, streaming_plan(), part_of_rank_0(), 0, {3, &memory});
  EXPECT_EQ(host.memory(), &memory);
  // Three headers of 10 words, padded to 16; A of 2 x 4, B of 4 x 6 and C of 2 x 6.
  EXPECT_EQ(memory.pieces, 6U);
  EXPECT_EQ(memory.held, 3U * 8 * 16 + 8U * (8 + 24 + 12));
}

/// 30 x 20 tiles of A and as many of B and C, on any number of threads.
TEST(HostStore, MakesTheSameTilesOnSeveralCores) {
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    Contraction p = {"p",
                     Tiling::uniform(90, 3),
                     Tiling::uniform(60, 2),
                     Tiling::uniform(100, 5),
                     Shape::dense(30, 20),
                     Shape::dense(20, 30),
                     Shape::dense(30, 30),
                     11,
                     true,
                     precision};
    Plan plan = streaming_plan();
    plan.grid = {1, 1};
    RankPlan part;
    part.devices.resize(1);
    Block block;
    for (std::int32_t j = 0; j < 30; ++j) block.columns.push_back(j);
    block.chunks.resize(1);
    for (TileId a = 0; a < 600; ++a) block.chunks[0].a.push_back(a);
    part.devices[0].blocks = {block};
    for (const int cores : {1, 4}) {
      const HostStore host(p, plan, part, 0, {cores});
      for (TileId id = 0; id < 600; ++id) {
        ASSERT_TRUE(is_initial(p, {Matrix::a, id}, host.tile({Matrix::a, id}).data)) << id;
        ASSERT_TRUE(is_initial(p, {Matrix::b, id}, host.tile({Matrix::b, id}).data)) << id;
        ASSERT_TRUE(is_initial(p, {Matrix::c, id}, host.c.at(id).data())) << id;
      }
    }
  }
}

/// Tiles of 3 x 3 and 3 x 4 floats: the second starts at 36 bytes, and the message ends at 84 behind its
/// header.
TEST(HostStore, SendsOddNumbersOfFloats) {
  const Contraction p{"p",
                      Tiling({0, 3}),
                      Tiling({0, 1}),
                      Tiling({0, 3, 7}),
                      Shape::dense(1, 2),
                      Shape::dense(2, 1),
                      Shape::dense(1, 1),
                      11,
                      false,
                      Precision::f32};
  Plan plan = streaming_plan();
  plan.grid = {2, 1};
  RankPlan part;
  part.devices.resize(1);
  part.transfers = {{{0, 1}, {1}, Matrix::a, 0, 1}};
  const HostStore sender(p, plan, part, 0);
  HostStore receiver(p, plan, {{{}}, {}}, 1);
  auto message = arrive(p, sender, 0, 0);
  EXPECT_EQ(message->tile_bytes(), 4 * (9 + 12));
  EXPECT_EQ(message->pieces().front().size(), 8 * 16);
  EXPECT_EQ(message->pieces()[1].size(), 36);
  EXPECT_EQ(message->pieces()[2].size(), 48);
  receiver.keep(std::move(message));
  for (const TileId id : {0, 1}) {
    EXPECT_TRUE(is_initial(p, {Matrix::a, id}, receiver.tile({Matrix::a, id}).data));
  }
  receiver.release(0, 0);
  EXPECT_THROW(static_cast<void>(receiver.tile({Matrix::a, 0}).data), std::out_of_range);
}

// C's norms are sums of products of norms, which may be beyond the largest float.
TEST(InitialTile, IsFiniteWhateverTheNorm) {
  const float largest = std::numeric_limits<float>::max();
  const Shape one(1, 1, {{0, 0, largest}});
  // Tiles of one number, the largest that a norm allows.
  Contraction p{
      "p", Tiling({0, 1}), Tiling({0, 1}), Tiling({0, 1}), one, one, symbolic_product(one, one, 0), 1, true};
  ASSERT_FALSE(std::isfinite(p.c.norm(0)));
  for (p.seed = 0; p.seed < 100; ++p.seed) {
    for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
      p.precision = Precision::f64;
      const double x = initial_tile(p, {matrix, 0}).as<double>()[0];
      EXPECT_TRUE(std::isfinite(x) && std::abs(x) < 2.0 * largest);
      p.precision = Precision::f32;
      EXPECT_TRUE(std::isfinite(initial_tile(p, {matrix, 0}).as<float>()[0]));
    }
  }
}

}  // namespace
}  // namespace foretile::host_store_test
