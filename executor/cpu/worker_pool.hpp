// Threads that work while the progress loop looks after messages.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "scheduler/backend.hpp"

namespace foretile {

/// Runs jobs in the order given, `threads` at a time. Each job's operation id appears among the finished ones
/// when it has returned; an exception of a job is thrown again by `finished`.
class WorkerPool {
 public:
  explicit WorkerPool(int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  void submit(OperationId id, std::function<void()> job);
  /// Ids finished since the last call. Waits up to `seconds` for the first one; does not wait when 0.
  std::vector<OperationId> finished(double seconds);

 private:
  struct Job {
    OperationId id;
    std::function<void()> work;
  };
  void work();

  std::mutex mutex_;
  std::condition_variable submitted_;
  std::condition_variable done_;
  std::deque<Job> jobs_;
  std::vector<OperationId> finished_;
  std::exception_ptr failure_;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace foretile
