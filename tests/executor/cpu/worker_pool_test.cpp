#include "executor/cpu/worker_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

namespace foretile {
namespace {

TEST(WorkerPool, ReportsEveryJobOnce) {
  Completions completions;
  WorkerPool pool(3, completions);
  std::atomic<int> sum = 0;
  for (OperationId id = 0; id < 100; ++id) pool.submit(id, [&sum, id] { sum += static_cast<int>(id); });
  std::vector<int> seen(100, 0);
  for (int count = 0; count < 100;) {
    for (const OperationId id : completions.take(1.0)) ++seen[id], ++count;
  }
  EXPECT_EQ(sum, 99 * 100 / 2);
  EXPECT_EQ(seen, std::vector<int>(100, 1));
  EXPECT_TRUE(completions.take(0).empty());
}

TEST(WorkerPool, OneThreadKeepsTheOrder) {
  Completions completions;
  WorkerPool pool(1, completions);
  std::vector<OperationId> order;
  for (OperationId id = 0; id < 50; ++id) pool.submit(id, [&order, id] { order.push_back(id); });
  std::vector<OperationId> ended;
  while (ended.size() < 50) {
    for (const OperationId id : completions.take(1.0)) ended.push_back(id);
  }
  EXPECT_EQ(order, ended);
}

TEST(WorkerPool, ThrowsWhatAJobThrew) {
  Completions completions;
  WorkerPool pool(1, completions);
  pool.submit(0, [] { throw std::runtime_error("broken job"); });
  EXPECT_THROW(
      {
        while (completions.take(1.0).empty()) {
        }
      },
      std::runtime_error);
}

}  // namespace
}  // namespace foretile
