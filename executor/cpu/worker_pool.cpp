#include "executor/cpu/worker_pool.hpp"

#include <algorithm>
#include <utility>

namespace foretile {

namespace {

using Clock = Completions::Clock;

/// Of a lane, when its jobs' ends wake the progress loop, which then gives it more. Time for a thread to wake
/// up, even where products take two microseconds only.
constexpr int kFewWaiting = 12;
/// Jobs that take longer wake the progress loop always: what that costs is small beside them.
constexpr auto kShort = std::chrono::milliseconds(2);

}  // namespace

void Completions::add(const Entry& entry, std::exception_ptr failure, bool wake) {
  {
    const std::lock_guard lock(mutex_);
    entries_.push_back(entry);
    if (failure) failure_ = std::move(failure);
    if (!wake && !failure_) return;
    wake_ = true;
  }
  added_.notify_one();
}

std::vector<Completions::Entry> Completions::take(double seconds) {
  std::unique_lock lock(mutex_);
  if (seconds > 0) added_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return wake_; });
  if (failure_) std::rethrow_exception(failure_);
  wake_ = false;
  return std::exchange(entries_, {});
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

void WorkerPool::add(int lane, OperationId id, std::function<void()> work) {
  bool begins = true;
  {
    const std::lock_guard lock(mutex_);
    if (lane != kNoLane) {
      if (lane >= std::ssize(lanes_)) lanes_.resize(lane + 1);
      begins = !lanes_[lane].busy && lanes_[lane].waiting == 0;
      ++lanes_[lane].waiting;
    }
    jobs_.push_back({lane, {id, {}, {}}, std::move(work)});
    if (begins) waiting_jobs_.store(true, std::memory_order_release);
  }
  if (begins) submitted_.notify_one();
}

std::deque<WorkerPool::Job>::iterator WorkerPool::first_that_may_begin() {
  return std::find_if(jobs_.begin(), jobs_.end(), [this](const Job& job) { return may_begin(job); });
}

bool WorkerPool::note_waiting() {
  const bool any = first_that_may_begin() != jobs_.end();
  waiting_jobs_.store(any, std::memory_order_release);
  return any;
}

/// The next job usually comes within microseconds. A core that goes idle meanwhile takes 50 us and more to
/// wake up on a virtual machine, so the worker looks for a while, and lets others have the core between
/// looks.
void WorkerPool::look_for_job() const {
  constexpr auto kLongest = std::chrono::microseconds(50);
  const auto start = Clock::now();
  while (!waiting_jobs_.load(std::memory_order_acquire) && Clock::now() - start < kLongest) {
    std::this_thread::yield();
  }
}

void WorkerPool::run(Job& job, bool more_of_lane) {
  std::exception_ptr failure;
  job.entry.began = Clock::now();
  try {
    job.work();
  } catch (...) {
    failure = std::current_exception();
  }
  job.entry.ended = Clock::now();
  const bool wake = !more_of_lane || job.entry.ended - job.entry.began > kShort;
  completions_.add(job.entry, std::move(failure), wake);
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    auto next = first_that_may_begin();
    if (next == jobs_.end()) {
      if (stop_) return;
      lock.unlock();
      look_for_job();
      lock.lock();
      submitted_.wait(lock, [&] { return stop_ || (next = first_that_may_begin()) != jobs_.end(); });
    }
    if (stop_) return;
    Job job = std::move(*next);
    jobs_.erase(next);
    if (job.lane != kNoLane) {
      lanes_[job.lane].busy = true;
      --lanes_[job.lane].waiting;
    }
    if (note_waiting()) submitted_.notify_one();
    const bool more_of_lane = job.lane != kNoLane && lanes_[job.lane].waiting >= kFewWaiting;
    lock.unlock();
    run(job, more_of_lane);
    lock.lock();
    if (job.lane != kNoLane) lanes_[job.lane].busy = false;
  }
}

}  // namespace foretile
