// SPDX-License-Identifier: BSD-3-Clause
// Threads that work while the progress loop looks after messages.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
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

  /// `wake`: the waiting thread is notified at once; otherwise it finds the entry when something else wakes
  /// it.
  void add(const Entry& entry, std::exception_ptr failure, bool wake);
  /// The same in two steps: whether notify() is to follow.
  bool enter(const Entry& entry, std::exception_ptr failure, bool wake);
  void notify() { added_.notify_one(); }
  /// What was added since the last call. Waits up to `seconds` to be woken; does not wait when 0. With
  /// `polls` it polls before it sleeps, if the jobs that it gave last were short: for when a core is idle.
  /// Throws what a job threw.
  std::vector<Entry> take(double seconds, bool polls = false);

 private:
  void wait(std::chrono::duration<double> longest, bool polls);

  std::mutex mutex_;
  std::condition_variable added_;
  std::vector<Entry> entries_;
  std::atomic<bool> wake_ = false;  // some entry is not to wait; set under the mutex, read without it
  bool short_jobs_ = false;         // those that take() gave last
  std::exception_ptr failure_;
};

/// Whether the end of a job, which took that long, wakes the progress loop: `waiting` jobs of its lane are
/// left, or of those without a lane so many for each thread. The thread may be idle soon, or the job was
/// long.
bool wakes_progress_loop(int waiting, Completions::Clock::duration took);

/// Runs jobs, `threads` at a time, each when a thread is free and the jobs given before it have begun or wait
/// for their turn; reports each one's operation id when it has returned.
class WorkerPool {
 public:
  /// Thread t runs on cpus[t] alone, or where the system lets it when there are no `cpus`.
  WorkerPool(int threads, Completions& completions, std::vector<int> cpus = {});
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Waits for the jobs under way; no other job begins. Nothing may be submitted behind it.
  void stop();

  /// Whether a thread has no job, at this moment.
  bool any_idle() const { return busy_ < static_cast<int>(threads_.size()); }

  void submit(OperationId id, std::function<void()> job) { add(0, {id, std::move(job)}); }
  /// The same of one of many: while many are left for each thread, the ends of short ones wake no thread.
  void submit_queued(OperationId id, std::function<void()> job) {
    add(0, {.id = id, .work = std::move(job), .queued = true});
  }
  /// Jobs of one lane (0, 1, ...) run one at a time in the order given. While a lane has many left, the ends
  /// of short ones wake no thread.
  void submit_fifo(int lane, OperationId id, std::function<void()> job) {
    add(lane + 1, {id, std::move(job)});
  }
  /// The parts of one operation, each in a lane of its own from `first_lane` on. It has ended when all have.
  void submit_parts(int first_lane, OperationId id, std::vector<std::function<void()>> parts);
  /// The same without lanes.
  void submit_parts(OperationId id, std::vector<std::function<void()>> parts);

 private:
  /// Of one operation: how many parts have not ended, and when the first began.
  struct Parts {
    std::mutex mutex;
    std::size_t left = 0;
    Completions::Clock::time_point began = Completions::Clock::time_point::max();
  };
  struct Job {
    OperationId id = 0;
    std::function<void()> work;
    std::shared_ptr<Parts> parts = {};  // that it is one of
    std::int64_t number = 0;            // in the order given
    bool queued = false;                // its end need not be reported at once while others wait
  };
  /// Jobs that run one at a time; those of the first lane at any time.
  struct Lane {
    std::deque<Job> jobs;
    bool busy = false;
  };

  void add(std::size_t lane, Job job);
  /// The lane of the next job that may begin.
  Lane* next_lane();
  bool note_waiting();
  void poll_for_job() const;
  /// Jobs that wait in its lane, or for each thread. Under the mutex.
  int behind(const Job& job, const Lane& lane) const;
  void run(const Job& job, const Lane& lane);
  void work();

  Completions& completions_;
  std::mutex mutex_;
  std::condition_variable submitted_;
  std::deque<Lane> lanes_;  // one and as many as the rank's devices have cores: few enough to look at each
  std::int64_t given_ = 0;
  std::atomic<bool> waiting_jobs_ = false;  // one may begin; set under the mutex, read without it
  std::atomic<int> busy_ = 0;               // threads with a job
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace foretile
