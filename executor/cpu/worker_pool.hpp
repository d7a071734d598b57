// Threads that work while the progress loop looks after messages.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "scheduler/backend.hpp"

namespace foretile {

/// Where pools report what has ended; one thread waits here.
class Completions {
 public:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    OperationId id = 0;
    Clock::time_point began, ended;
  };

  /// `wake`: the waiting thread is told at once; otherwise it finds the entry when something else wakes it.
  void add(const Entry& entry, std::exception_ptr failure, bool wake);
  /// What was added since the last call. Waits up to `seconds` to be woken; does not wait when 0. Throws what
  /// a job threw.
  std::vector<Entry> take(double seconds);

 private:
  std::mutex mutex_;
  std::condition_variable added_;
  std::vector<Entry> entries_;
  bool wake_ = false;  // some entry is not to wait
  std::exception_ptr failure_;
};

/// Runs jobs, `threads` at a time, each when a thread is free and the jobs given before it have begun or wait
/// for their turn; reports each one's operation id when it has returned.
class WorkerPool {
 public:
  WorkerPool(int threads, Completions& completions);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void submit(OperationId id, std::function<void()> job) { add(kNoLane, id, std::move(job)); }
  /// Jobs of one lane (0, 1, ...) run one at a time in the order given. While a lane has many left, the ends
  /// of short ones wake nobody.
  void submit_in_turn(int lane, OperationId id, std::function<void()> job) { add(lane, id, std::move(job)); }

 private:
  static constexpr int kNoLane = -1;
  struct Job {
    int lane;
    Completions::Entry entry;
    std::function<void()> work;
  };
  struct Lane {
    bool busy = false;
    int waiting = 0;
  };

  void add(int lane, OperationId id, std::function<void()> work);
  bool may_begin(const Job& job) const { return job.lane == kNoLane || !lanes_[job.lane].busy; }
  std::deque<Job>::iterator first_that_may_begin();
  bool note_waiting();
  void look_for_job() const;
  void run(Job& job, bool more_of_lane);
  void work();

  Completions& completions_;
  std::mutex mutex_;
  std::condition_variable submitted_;
  std::deque<Job> jobs_;
  std::vector<Lane> lanes_;
  std::atomic<bool> waiting_jobs_ = false;  // one may begin; set under the mutex, read without it
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace foretile
