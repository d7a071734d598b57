// SPDX-License-Identifier: BSD-3-Clause
#include "executor/mpi/messenger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory_resource>
#include <numeric>

#include "base/error.hpp"
#include "executor/mpi/communicator.hpp"

namespace foretile::messenger_test {
namespace {

struct World {
  Rank rank = rank_in(MPI_COMM_WORLD);
  int size = size_of(MPI_COMM_WORLD);
};

/// The heap, and how many bytes were in use at most.
class LargestInUse final : public std::pmr::memory_resource {
 public:
  std::int64_t largest() const { return largest_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    in_use_ += static_cast<std::int64_t>(bytes);
    largest_ = std::max(largest_, in_use_);
    return heap_memory()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    in_use_ -= static_cast<std::int64_t>(bytes);
    heap_memory()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }

  std::int64_t in_use_ = 0, largest_ = 0;
};

/// One row of A with tiles of 200 x 300 and 200 x 400; large enough not to be sent at once.
Contraction problem() {
  const Shape a = Shape::dense(1, 2);
  const Shape b = Shape::dense(2, 1);
  return {"p", Tiling({0, 200}), Tiling({0, 5}), Tiling({0, 300, 700}), a, b, symbolic_product(a, b, 0)};
}

template <class Real>
void send_pieces_to_the_next(const Contraction& p) {
  const World world;
  Messenger messenger(MPI_COMM_WORLD, p);
  const auto first = static_cast<std::size_t>(p.m.size(0) * p.k.size(0));
  std::vector<std::vector<Real>> tiles{std::vector<Real>(first), std::vector<Real>(80'000)};
  std::iota(tiles[0].begin(), tiles[0].end(), static_cast<Real>(1000 * world.rank));
  std::iota(tiles[1].begin(), tiles[1].end(), static_cast<Real>(1'000'000 + world.rank));
  const Rank next = Rank::of((world.rank + 1) % world.size);
  const int previous = (world.rank + world.size - 1) % world.size;
  const TileBuffer header = message_header({{0, 1}, {next}, Matrix::a, 2, 3}, world.rank, 7);
  messenger.send(42, next,
                 {header.bytes(), std::as_bytes(std::span(tiles[0])), std::as_bytes(std::span(tiles[1]))},
                 Path{}.plus(Cause::kernel, Part::work, 1 + world.rank));
  bool sent = false;
  std::shared_ptr<MessageBuffer> arrived;
  Messenger::Listener listener;
  listener.sent = [&](OperationId id) { sent = id == 42; };
  listener.received = [&](std::shared_ptr<MessageBuffer> buffer) { arrived = std::move(buffer); };
  while (!sent || !arrived || !messenger.idle()) messenger.progress(listener);
  EXPECT_EQ(arrived->owner(), previous);
  EXPECT_EQ(arrived->number(), 7);
  EXPECT_EQ(arrived->hop().path.total(), 1 + previous);
  EXPECT_EQ(arrived->transfer()->last_step, 3);
  std::vector<Real> found(first + 80'000);
  ASSERT_EQ(arrived->tile_bytes(), p.element_bytes() * std::ssize(found));
  std::memcpy(found.data(), arrived->tiles(), found.size() * sizeof(Real));
  EXPECT_EQ(found[first - 1], static_cast<Real>(1000 * previous) + static_cast<Real>(first - 1));
  EXPECT_EQ(found.back(), static_cast<Real>(1'000'000 + previous + 79'999));
  quiet_barrier(MPI_COMM_WORLD);
}

TEST(Messenger, SendsPiecesAsOneMessage) {
  send_pieces_to_the_next<double>(problem());
}

/// 1 x 299 floats and 80000 behind them: no whole number of doubles.
TEST(Messenger, SendsAnOddNumberOfFloats) {
  Contraction p = problem();
  p.m = Tiling({0, 1});
  p.k = Tiling({0, 299, 80'299});
  p.precision = Precision::f32;
  send_pieces_to_the_next<float>(p);
}

// 65536 bytes travel alone; what is smaller joins its small neighbours, whatever their sum.
TEST(Messenger, JoinsSmallTiles) {
  using Counts = std::vector<std::size_t>;
  const auto counts = [](const std::vector<std::int64_t>& sizes) { return tiles_of_messages(sizes); };
  EXPECT_EQ(counts({}), Counts{});
  EXPECT_EQ(counts({65536, 65535}), (Counts{1, 1}));
  EXPECT_EQ(counts({65535, 65535, 8, 70000, 70000, 8, 8}), (Counts{3, 1, 1, 2}));
}

/// Many messages of several tiles each, large ones and small ones, are on their way at once; each tile holds
/// numbers of its own.
TEST(Messenger, KeepsMessagesApart) {
  const World world;
  constexpr int kMessages = 20;
  const std::vector<std::int64_t> extents{1, 2, 100, 1, 1, 200, 3};  // times 200 doubles
  std::vector<std::int64_t> cuts{0};
  for (const std::int64_t extent : extents) cuts.push_back(cuts.back() + extent);
  const Shape a = Shape::dense(1, static_cast<std::int32_t>(extents.size()));
  const Shape b = Shape::dense(static_cast<std::int32_t>(extents.size()), 1);
  const Contraction p{"p", Tiling({0, 200}), Tiling({0, 5}), Tiling(cuts), a, b, symbolic_product(a, b, 0)};
  const auto number = [](int owner, int message, std::size_t at) {
    return 1e6 * owner + 1e4 * message + static_cast<double>(at % 9973);
  };
  Messenger messenger(MPI_COMM_WORLD, p);
  const Rank next = Rank::of((world.rank + 1) % world.size);
  const auto length = static_cast<std::size_t>(200 * cuts.back());
  std::vector<std::vector<double>> tiles(kMessages, std::vector<double>(length));
  std::vector<TileBuffer> headers;
  for (int m = 0; m < kMessages; ++m) {
    for (std::size_t at = 0; at < length; ++at) tiles[m][at] = number(world.rank, m, at);
    headers.push_back(message_header({{0, 1, 2, 3, 4, 5, 6}, {next}, Matrix::a, 2, 3}, world.rank, m));
    std::vector<MessagePiece> pieces{headers.back().bytes()};
    for (std::size_t t = 0; t < extents.size(); ++t) {
      const auto first = static_cast<std::size_t>(200 * cuts[t]);
      pieces.emplace_back(
          std::as_bytes(std::span(tiles[m]).subspan(first, static_cast<std::size_t>(200 * extents[t]))));
    }
    messenger.send(m, next, pieces);
  }
  int sent = 0, arrived = 0, wrong = 0;
  Messenger::Listener listener;
  listener.sent = [&](OperationId) { ++sent; };
  listener.received = [&](const std::shared_ptr<MessageBuffer>& buffer) {
    ++arrived;
    const auto* const found = reinterpret_cast<const double*>(buffer->tiles());
    for (std::size_t at = 0; at < length; ++at)
      wrong += found[at] != number(buffer->owner(), buffer->number(), at);
  };
  while (sent < kMessages || arrived < kMessages || !messenger.idle()) messenger.progress(listener);
  EXPECT_EQ(wrong, 0);
  quiet_barrier(MPI_COMM_WORLD);
}

/// Tiles of 1024 x 1024 doubles, every second column of an array: 8 MB each, 2 fit at once, so most of the
/// messages wait for others to have left. All arrive, and each is reported as sent.
TEST(Messenger, PacksTilesWithGapsAFewAtATime) {
  const World world;
  constexpr std::int64_t kExtent = 1024, kTiles = 7;
  const Shape a = Shape::dense(1, kTiles);
  const Shape b = Shape::dense(kTiles, 1);
  const Contraction p{
      "p", Tiling({0, kExtent}),     Tiling({0, 5}), Tiling::uniform(kExtent * kTiles, kExtent), a,
      b,   symbolic_product(a, b, 0)};
  std::vector<double> array(kExtent * 2 * kExtent);
  for (std::size_t at = 0; at < array.size(); ++at)
    array[at] = static_cast<double>(at) + 1e8 * static_cast<double>(static_cast<int>(world.rank));
  const TileView view{reinterpret_cast<std::byte*>(array.data()), 2 * kExtent};
  const Rank next = Rank::of((world.rank + 1) % world.size);
  const int previous = (world.rank + world.size - 1) % world.size;
  std::vector<TileBuffer> headers;
  LargestInUse memory;
  Messenger messenger(MPI_COMM_WORLD, p, &memory);
  for (int m = 0; m < kTiles; ++m) {
    headers.push_back(message_header({{m}, {next}, Matrix::a, 2, 3}, world.rank, m));
    messenger.send(m, next, {headers.back().bytes(), {view, TileExtents{kExtent, kExtent, 8}}});
  }
  EXPECT_EQ(memory.largest(), kPackedAtOnce);
  std::vector<OperationId> sent;
  int arrived = 0, wrong = 0;
  Messenger::Listener listener;
  listener.sent = [&](OperationId id) { sent.push_back(id); };
  listener.received = [&](const std::shared_ptr<MessageBuffer>& buffer) {
    ++arrived;
    const auto* const found = reinterpret_cast<const double*>(buffer->tiles());
    for (std::int64_t j = 0; j < kExtent; ++j) {
      for (std::int64_t i = 0; i < kExtent; ++i)
        wrong += found[i + j * kExtent] != static_cast<double>(i + j * 2 * kExtent) + 1e8 * previous;
    }
  };
  while (std::ssize(sent) < kTiles || arrived < kTiles || !messenger.idle()) messenger.progress(listener);
  EXPECT_EQ(wrong, 0);
  std::sort(sent.begin(), sent.end());
  for (int m = 0; m < kTiles; ++m) EXPECT_EQ(sent[static_cast<std::size_t>(m)], m);
  quiet_barrier(MPI_COMM_WORLD);
}

/// Every rank sends to every other; all arrive, in order for each sender, and nothing is left over.
TEST(Messenger, DeliversAllSignalsInOrder) {
  const World world;
  const Contraction p = problem();
  Messenger messenger(MPI_COMM_WORLD, p);
  constexpr int kSignals = 300;
  for (int step = 0; step < kSignals; ++step) {
    for (Rank to = 0; to < world.size; ++to) {
      if (to != world.rank)
        messenger.signal(
            to, {world.rank, Step::of(step), step % 3 == 0, Path{}.plus(Cause::h2d, Part::work, step)});
    }
  }
  std::vector<int> next(world.size, 0);
  int missing = kSignals * (world.size - 1);
  Messenger::Listener listener;
  listener.signalled = [&](const Signal& signal) {
    EXPECT_EQ(signal.step, next[signal.from_rank]++);
    EXPECT_EQ(signal.down, signal.step % 3 == 0);
    EXPECT_EQ(signal.path.total(), signal.step);
    --missing;
  };
  while (missing > 0 || !messenger.idle()) messenger.progress(listener);
  quiet_barrier(MPI_COMM_WORLD);
  EXPECT_FALSE(messenger.progress(listener));
}

}  // namespace
}  // namespace foretile::messenger_test
