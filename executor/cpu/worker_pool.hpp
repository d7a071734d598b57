// Threads that work while the progress loop looks after messages.
#pragma once

#include <atomic>
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
  void add(OperationId id, std::exception_ptr failure);
  /// Ids added since the last call. Waits up to `seconds` for the first one; does not wait when 0. Throws
  /// what a job threw.
  std::vector<OperationId> take(double seconds);

 private:
  std::mutex mutex_;
  std::condition_variable added_;
  std::vector<OperationId> ids_;
  std::exception_ptr failure_;
};

/// Runs jobs in the order given, `threads` at a time, and reports each one's operation id when it has
/// returned.
class WorkerPool {
 public:
  WorkerPool(int threads, Completions& completions);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void submit(OperationId id, std::function<void()> job);

 private:
  struct Job {
    OperationId id;
    std::function<void()> work;
  };
  void work();
  void look_for_job() const;

  Completions& completions_;
  std::mutex mutex_;
  std::condition_variable submitted_;
  std::deque<Job> jobs_;
  std::atomic<bool> waiting_jobs_ = false;  // jobs_ is not empty; set under the mutex, read without it
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace foretile
