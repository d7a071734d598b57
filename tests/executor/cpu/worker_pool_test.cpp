// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cpu/worker_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace foretile::worker_pool_test {
namespace {

/// An entry that need not wake anybody is taken with the next one that does; one that is never told of would
/// wait an hour.
TEST(Completions, WakesForWhatMustNotWait) {
  Completions completions;
  std::thread other([&] {
    completions.add({1, {}, {}}, nullptr, false);
    completions.add({2, {}, {}}, nullptr, true);
  });
  const auto ended = completions.take(3600);
  other.join();
  ASSERT_EQ(ended.size(), 2U);
  EXPECT_EQ(ended[0].id, 1U);
  EXPECT_EQ(ended[1].id, 2U);
}

/// After short and after long jobs, which it does not poll behind.
TEST(Completions, MayPollBeforeItWaits) {
  Completions completions;
  const Completions::Clock::time_point began;
  for (OperationId id = 0; id < 50; ++id) {
    std::thread other([&] {
      completions.add({id, began, began + std::chrono::microseconds(id % 2 * 1000)}, nullptr, true);
    });
    std::vector<Completions::Entry> ended;
    while (ended.empty()) ended = completions.take(3600, true);
    other.join();
    EXPECT_EQ(ended.front().id, id);
  }
}

TEST(WorkerPool, KnowsWhetherAThreadIsIdle) {
  Completions completions;
  WorkerPool pool(1, completions);
  EXPECT_TRUE(pool.any_idle());
  std::promise<void> began, end;
  pool.submit(1, [&] {
    began.set_value();
    end.get_future().wait();
  });
  began.get_future().wait();
  EXPECT_FALSE(pool.any_idle());
  end.set_value();
  while (!pool.any_idle()) std::this_thread::yield();
}

TEST(WorkerPool, ReportsEveryJobOnce) {
  Completions completions;
  WorkerPool pool(3, completions);
  std::atomic<int> sum = 0;
  for (OperationId id = 0; id < 100; ++id) pool.submit(id, [&sum, id] { sum += static_cast<int>(id); });
  std::vector<int> seen(100, 0);
  for (int count = 0; count < 100;) {
    for (const Completions::Entry& ended : completions.take(3600)) ++seen[ended.id], ++count;
  }
  EXPECT_EQ(sum, 99 * 100 / 2);
  EXPECT_EQ(seen, std::vector<int>(100, 1));
  EXPECT_TRUE(completions.take(0).empty());
}

/// The ends of most wake no thread; those of the last do.
TEST(WorkerPool, ReportsQueuedJobsToo) {
  Completions completions;
  WorkerPool pool(2, completions);
  for (OperationId id = 0; id < 100; ++id) pool.submit_queued(id, [] {});
  std::size_t ended = 0;
  while (ended < 100) ended += completions.take(3600).size();
  EXPECT_TRUE(completions.take(0).empty());
}

TEST(WorkerPool, OneThreadKeepsTheOrder) {
  Completions completions;
  WorkerPool pool(1, completions);
  std::vector<OperationId> order;
  for (OperationId id = 0; id < 50; ++id) pool.submit(id, [&order, id] { order.push_back(id); });
  std::vector<OperationId> ended;
  while (ended.size() < 50) {
    for (const Completions::Entry& one : completions.take(3600)) ended.push_back(one.id);
  }
  EXPECT_EQ(order, ended);
}

/// Three lanes, four threads: two jobs of a lane never run at once, and each lane keeps its order.
TEST(WorkerPool, JobsOfALaneRunInTurn) {
  constexpr int kLanes = 3;
  constexpr int kJobs = 900;
  Completions completions;
  WorkerPool pool(4, completions);
  std::array<std::vector<OperationId>, kLanes> begun;
  std::array<std::atomic<int>, kLanes> running{};
  std::atomic<int> overlaps = 0;
  for (OperationId id = 0; id < kJobs; ++id) {
    const std::size_t lane = id % kLanes;
    pool.submit_fifo(static_cast<int>(lane), id, [&, lane, id] {
      if (++running[lane] > 1) ++overlaps;
      begun[lane].push_back(id);
      --running[lane];
    });
  }
  int ended = 0;
  while (ended < kJobs) ended += static_cast<int>(completions.take(3600).size());
  EXPECT_EQ(overlaps, 0);
  for (const std::vector<OperationId>& lane : begun) {
    EXPECT_EQ(lane.size(), kJobs / kLanes);
    EXPECT_TRUE(std::is_sorted(lane.begin(), lane.end()));
  }
}

/// The last part of operation 0 waits for the gate; the same lane's part of operation 1 waits behind it, and
/// both operations with them. Told of once each.
TEST(WorkerPool, AnOperationEndsWithItsLastPart) {
  Completions completions;
  WorkerPool pool(2, completions);
  std::promise<void> gate;
  std::atomic<int> done = 0;
  const auto wait = gate.get_future().share();
  const auto count = [&done] { ++done; };
  pool.submit_parts(0, 0, {count, count, [&done, wait] {
                             wait.get();
                             ++done;
                           }});
  pool.submit_parts(0, 1, {count, count, count});
  pool.submit_fifo(3, 2, [] {});
  const auto first = completions.take(3600);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].id, 2U);
  gate.set_value();
  std::vector<OperationId> ended;
  while (ended.size() < 2) {
    for (const Completions::Entry& one : completions.take(3600)) {
      EXPECT_LE(one.began, one.ended);
      ended.push_back(one.id);
    }
  }
  EXPECT_EQ(ended, (std::vector<OperationId>{0, 1}));
  EXPECT_EQ(done, 6);
}

/// One lane waits for the gate; a job without a lane passes it.
TEST(WorkerPool, ALaneThatIsBusyHoldsBackNoOther) {
  Completions completions;
  WorkerPool pool(2, completions);
  std::promise<void> gate;
  pool.submit_fifo(0, 0, [wait = gate.get_future().share()] { wait.get(); });
  pool.submit_fifo(0, 1, [] {});
  pool.submit(2, [] {});
  const auto first = completions.take(3600);
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].id, 2U);
  gate.set_value();
  int ended = 0;
  while (ended < 2) ended += static_cast<int>(completions.take(3600).size());
}

/// The second job waits behind the first, which takes 20 ms; both are looked at 30 ms after the start or
/// later.
TEST(WorkerPool, TellsWhenAJobBegan) {
  using std::chrono::milliseconds;
  Completions completions;
  WorkerPool pool(1, completions);
  pool.submit_fifo(0, 0, [] { std::this_thread::sleep_for(milliseconds(20)); });
  pool.submit_fifo(0, 1, [] {});
  std::this_thread::sleep_for(milliseconds(30));
  std::vector<Completions::Entry> ended;
  while (ended.size() < 2) {
    for (const Completions::Entry& one : completions.take(3600)) ended.push_back(one);
  }
  EXPECT_GE(ended[0].ended - ended[0].began, milliseconds(20));
  EXPECT_GE(ended[1].began, ended[0].ended);
  EXPECT_GE(ended[1].ended, ended[1].began);
}

/// A pool with one thread. The first job holds it until all are given, the third one until the end.
class HeldLane {
 public:
  HeldLane(int jobs, std::function<void()> first) {
    pool_.submit_fifo(0, 0, [wait = gate_.get_future().share()] { wait.get(); });
    pool_.submit_fifo(0, 1, std::move(first));
    pool_.submit_fifo(0, 2, [wait = second_gate_.get_future().share()] { wait.get(); });
    for (int id = 3; id < jobs; ++id) pool_.submit_fifo(0, id, [] {});
    gate_.set_value();
  }
  ~HeldLane() { second_gate_.set_value(); }

  /// Whether the end of job 1 wakes who waits: take() also returns it when the wait is over.
  bool second_job_wakes() {
    constexpr double kWait_s = 30;  // job 1 has ended long before, whatever else the machine does
    for (;;) {
      const auto start = Completions::Clock::now();
      const std::vector<Completions::Entry> taken = completions_.take(kWait_s);
      const std::chrono::duration<double> waited = Completions::Clock::now() - start;
      if (waited.count() >= kWait_s) return false;
      for (const Completions::Entry& one : taken)
        if (one.id == 1) return true;
    }
  }

 private:
  std::promise<void> gate_, second_gate_;
  Completions completions_;
  WorkerPool pool_{1, completions_};
};

TEST(WorkerPool, WakesForALongJobOfAFullLane) {
  HeldLane lane(40, [] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
  EXPECT_TRUE(lane.second_job_wakes());
}

/// One job is left: the progress loop has its time to bring more.
TEST(WorkerPool, WakesForTheLastJobButOne) {
  HeldLane lane(3, [] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  EXPECT_TRUE(lane.second_job_wakes());
}

/// Few jobs that take 300 us together wake, and one alone; many do not, unless this one took 2 ms.
TEST(WakesProgressLoop, WhenTheThreadIsIdleSoonOrTheJobWasLong) {
  using std::chrono::microseconds;
  EXPECT_TRUE(wakes_progress_loop(0, microseconds(0)));
  EXPECT_TRUE(wakes_progress_loop(1, microseconds(1000)));
  EXPECT_TRUE(wakes_progress_loop(2, microseconds(149)));
  EXPECT_FALSE(wakes_progress_loop(2, microseconds(151)));
  EXPECT_TRUE(wakes_progress_loop(11, microseconds(1)));
  EXPECT_FALSE(wakes_progress_loop(12, microseconds(1)));
  EXPECT_FALSE(wakes_progress_loop(40, microseconds(1999)));
  EXPECT_TRUE(wakes_progress_loop(40, microseconds(2001)));
}

TEST(WorkerPool, ThrowsWhatAJobThrew) {
  Completions completions;
  WorkerPool pool(1, completions);
  pool.submit(0, [] { throw std::runtime_error("broken job"); });
  EXPECT_THROW(
      {
        while (completions.take(3600).empty()) {
        }
      },
      std::runtime_error);
}

}  // namespace
}  // namespace foretile::worker_pool_test
