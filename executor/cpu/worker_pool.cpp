#include "executor/cpu/worker_pool.hpp"

#include <chrono>
#include <utility>

namespace foretile {

void Completions::add(OperationId id, std::exception_ptr failure) {
  const std::lock_guard lock(mutex_);
  ids_.push_back(id);
  if (failure) failure_ = std::move(failure);
  added_.notify_one();
}

std::vector<OperationId> Completions::take(double seconds) {
  std::unique_lock lock(mutex_);
  if (seconds > 0) {
    added_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return !ids_.empty(); });
  }
  if (failure_) std::rethrow_exception(failure_);
  return std::exchange(ids_, {});
}

WorkerPool::WorkerPool(int threads, Completions& completions) : completions_(completions) {
  for (int t = 0; t < threads; ++t) threads_.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  submitted_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::submit(OperationId id, std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({id, std::move(job)});
    waiting_jobs_.store(true, std::memory_order_release);
  }
  submitted_.notify_one();
}

/// The next job usually comes within microseconds. A core that goes idle meanwhile takes 50 us and more to
/// wake up on a virtual machine, so the worker looks for a while, and lets others have the core between
/// looks.
void WorkerPool::look_for_job() const {
  using Clock = std::chrono::steady_clock;
  constexpr auto kLongest = std::chrono::microseconds(50);
  const auto start = Clock::now();
  while (!waiting_jobs_.load(std::memory_order_acquire) && Clock::now() - start < kLongest) {
    std::this_thread::yield();
  }
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (jobs_.empty() && !stop_) {
      lock.unlock();
      look_for_job();
      lock.lock();
    }
    submitted_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
    if (stop_) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    waiting_jobs_.store(!jobs_.empty(), std::memory_order_release);
    lock.unlock();
    std::exception_ptr failure;
    try {
      job.work();
    } catch (...) {
      failure = std::current_exception();
    }
    completions_.add(job.id, std::move(failure));
    lock.lock();
  }
}

}  // namespace foretile
