// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cpu/worker_pool.hpp"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <new>
#include <utility>

#include "base/threads.hpp"
#include "executor/cpu/binding.hpp"
#include "scheduler/polling.hpp"

namespace foretile {

namespace {

using Clock = Completions::Clock;

/// The end of a job wakes the progress loop, which then gives more, when few jobs wait in its lane and they
/// will take less time than this: a thread takes some 50 us to wake up, more when all cores work.
constexpr int kFewWaiting = 12;
constexpr auto kSoonIdle = std::chrono::microseconds(300);

bool soon_idle(int waiting, Clock::duration of_each) {
  return waiting <= 1 || (waiting < kFewWaiting && waiting * of_each < kSoonIdle);
}

/// Returns when it is set or that time is over; others may have the core between two looks.
void poll_until(const std::atomic<bool>& flag, std::chrono::duration<double> longest) {
  const auto start = Clock::now();
  while (!flag.load(std::memory_order_acquire) && Clock::now() - start < longest) std::this_thread::yield();
}

bool short_job(const Completions::Entry& entry) {
  return entry.ended - entry.began < std::chrono::microseconds(25);
}

}  // namespace

bool wakes_progress_loop(int waiting, Clock::duration took) {
  return std::chrono::duration<double>(took).count() > kAlwaysNoticed_s || soon_idle(waiting, took);
}

void Completions::add(const Entry& entry, std::exception_ptr failure, bool wake) {
  if (enter(entry, std::move(failure), wake)) notify();
}

bool Completions::enter(const Entry& entry, std::exception_ptr failure, bool wake) {
  {
    const std::lock_guard lock(mutex_);
    if (failure) failure_ = std::move(failure);
    try {
      entries_.push_back(entry);
    } catch (const std::bad_alloc&) {  // for the progress loop, too: a worker has no caller to catch it
      failure_ = std::current_exception();
    }
    if (!wake && !failure_) return false;
    wake_ = true;
  }
  return true;
}

std::vector<Completions::Entry> Completions::take(double seconds, bool polls) {
  if (seconds > 0) wait(std::chrono::duration<double>(seconds), polls && short_jobs_);
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  wake_ = false;
  if (!entries_.empty()) short_jobs_ = std::ranges::all_of(entries_, short_job);
  return std::exchange(entries_, {});
}

/// Waking a thread takes a virtual machine longer than a small product. So where jobs are short, this thread
/// polls first, and lets workers have the core between polls.
void Completions::wait(std::chrono::duration<double> longest, bool polls) {
  constexpr std::chrono::duration<double> kLongestPolling = std::chrono::microseconds(20);
  const auto until = Clock::now() + std::chrono::ceil<Clock::duration>(longest);
  if (polls) poll_until(wake_, std::min(longest, kLongestPolling));
  if (wake_) return;
  std::unique_lock lock(mutex_);
  added_.wait_until(lock, until, [this] { return wake_.load(); });
}

WorkerPool::WorkerPool(int threads, Completions& completions, std::vector<int> cpus)
    : completions_(completions) {
  assert(cpus.empty() || std::ssize(cpus) == threads);
  cpus.resize(static_cast<std::size_t>(threads), -1);
  try {
    for (const int cpu : cpus) {
      threads_.push_back(start_thread<std::thread>([this, cpu] {
        if (cpu >= 0) bind_thread({&cpu, 1});
        work();
      }));
    }
  } catch (...) {
    stop();
    throw;
  }
}

WorkerPool::~WorkerPool() {
  stop();
}

void WorkerPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  submitted_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void WorkerPool::submit_parts(int first_lane, OperationId id, std::vector<std::function<void()>> parts) {
  const auto together = std::make_shared<Parts>();
  together->left = parts.size();
  for (std::size_t part = 0; part < parts.size(); ++part)
    add(static_cast<std::size_t>(first_lane) + 1 + part, {id, std::move(parts[part]), together});
}

void WorkerPool::submit_parts(OperationId id, std::vector<std::function<void()>> parts) {
  const auto together = std::make_shared<Parts>();
  together->left = parts.size();
  for (std::function<void()>& part : parts) add(0, {id, std::move(part), together});
}

void WorkerPool::add(std::size_t lane, Job job) {
  bool begins = true;
  {
    const std::lock_guard lock(mutex_);
    if (lane >= lanes_.size()) lanes_.resize(lane + 1);
    Lane& mine = lanes_[lane];
    begins = lane == 0 || (!mine.busy && mine.jobs.empty());
    job.number = given_++;
    mine.jobs.push_back(std::move(job));
    if (begins) waiting_jobs_.store(true, std::memory_order_release);
  }
  if (begins) submitted_.notify_one();
}

WorkerPool::Lane* WorkerPool::next_lane() {
  Lane* next = nullptr;
  for (Lane& lane : lanes_) {
    if (lane.busy || lane.jobs.empty()) continue;
    if (!next || lane.jobs.front().number < next->jobs.front().number) next = &lane;
  }
  return next;
}

bool WorkerPool::note_waiting() {
  const bool any = next_lane() != nullptr;
  waiting_jobs_.store(any, std::memory_order_release);
  return any;
}

/// The next job usually comes within microseconds. A core that goes idle meanwhile takes 50 us and more to
/// wake up on a virtual machine, so the worker polls for a while, and lets others have the core between
/// polls.
void WorkerPool::poll_for_job() const {
  poll_until(waiting_jobs_, std::chrono::microseconds(50));
}

int WorkerPool::behind(const Job& job, const Lane& lane) const {
  if (lane.busy) return static_cast<int>(lane.jobs.size());
  return job.queued ? static_cast<int>(lane.jobs.size() / threads_.size()) : 0;  // for all threads
}

void WorkerPool::run(const Job& job, const Lane& lane) {
  Completions::Entry entry{job.id, Clock::now(), {}};
  std::exception_ptr failure;
  try {
    job.work();
  } catch (...) {
    failure = std::current_exception();
  }
  entry.ended = Clock::now();
  const auto took = entry.ended - entry.began;
  if (job.parts) {
    const std::lock_guard lock(job.parts->mutex);
    entry.began = job.parts->began = std::min(job.parts->began, entry.began);
    if (--job.parts->left > 0 && !failure) return;
  }
  bool wakes = false;
  {  // Under one lock: where jobs wait, one of them is entered later, and the last one wakes the progress
     // loop.
    const std::lock_guard lock(mutex_);
    wakes = completions_.enter(entry, std::move(failure), wakes_progress_loop(behind(job, lane), took));
  }
  if (wakes) completions_.notify();
}

void WorkerPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    Lane* lane = next_lane();
    if (!lane) {
      if (stop_) return;
      lock.unlock();
      poll_for_job();
      lock.lock();
      submitted_.wait(lock, [&] { return stop_ || (lane = next_lane()); });
    }
    if (stop_) return;
    ++busy_;
    const Job job = std::move(lane->jobs.front());
    lane->jobs.pop_front();
    lane->busy = lane != &lanes_.front();
    if (note_waiting()) submitted_.notify_one();
    lock.unlock();
    run(job, *lane);
    lock.lock();
    lane->busy = false;
    --busy_;
  }
}

}  // namespace foretile
