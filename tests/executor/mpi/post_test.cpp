#include "executor/mpi/post.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "base/error.hpp"

namespace foretile {
namespace {

struct World {
  World() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }
  int rank = 0;
  int size = 1;
};

/// One row of A with tiles of 200 x 300 and 200 x 400; large enough not to be sent at once.
Contraction problem() {
  const Shape a = Shape::dense(1, 2);
  const Shape b = Shape::dense(2, 1);
  return {"p", Tiling({0, 200}), Tiling({0, 5}), Tiling({0, 300, 700}), a, b, symbolic_product(a, b, 0)};
}

TEST(Post, SendsPiecesAsOneMessage) {
  const World world;
  const Contraction p = problem();
  Post post(MPI_COMM_WORLD, p);
  std::vector<std::vector<double>> tiles{std::vector<double>(60'000), std::vector<double>(80'000)};
  std::iota(tiles[0].begin(), tiles[0].end(), 1000.0 * world.rank);
  std::iota(tiles[1].begin(), tiles[1].end(), 1e6 + world.rank);
  const int next = (world.rank + 1) % world.size;
  const int previous = (world.rank + world.size - 1) % world.size;
  const TileBuffer header = message_header({{0, 1}, {next}, Matrix::a, 2, 3}, world.rank, 7);
  post.send(42, next, {header.elements(), tiles[0], tiles[1]});
  bool sent = false;
  std::shared_ptr<MessageBuffer> arrived;
  Post::Listener listener;
  listener.sent = [&](OperationId id) { sent = id == 42; };
  listener.received = [&](std::shared_ptr<MessageBuffer> buffer) { arrived = std::move(buffer); };
  while (!sent || !arrived || !post.idle()) post.progress(listener);
  EXPECT_EQ(arrived->owner(), previous);
  EXPECT_EQ(arrived->number(), 7);
  EXPECT_EQ(arrived->broadcast()->last_step, 3);
  EXPECT_EQ(arrived->tiles()[59'999], 1000.0 * previous + 59'999);
  EXPECT_EQ(arrived->tiles()[60'000 + 79'999], 1e6 + previous + 79'999);
  quiet_barrier(MPI_COMM_WORLD);
}

/// Every rank sends to every other; all arrive, in order for each sender, and nothing is left over.
TEST(Post, DeliversAllSignalsInOrder) {
  const World world;
  const Contraction p = problem();
  Post post(MPI_COMM_WORLD, p);
  constexpr int kSignals = 300;
  for (int step = 0; step < kSignals; ++step) {
    for (int to = 0; to < world.size; ++to) {
      if (to != world.rank) post.signal(to, {world.rank, step, step % 3 == 0});
    }
  }
  std::vector<int> next(world.size, 0);
  int missing = kSignals * (world.size - 1);
  Post::Listener listener;
  listener.signalled = [&](const Signal& signal) {
    EXPECT_EQ(signal.step, next[signal.from_rank]++);
    EXPECT_EQ(signal.down, signal.step % 3 == 0);
    --missing;
  };
  while (missing > 0 || !post.idle()) post.progress(listener);
  quiet_barrier(MPI_COMM_WORLD);
  EXPECT_FALSE(post.progress(listener));
}

}  // namespace
}  // namespace foretile
