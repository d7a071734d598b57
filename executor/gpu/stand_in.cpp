// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/stand_in.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <new>
#include <thread>

#include "base/error.hpp"
#include "base/threads.hpp"
#include "executor/cpu/combine.hpp"
#include "executor/cpu/tile_kernel.hpp"
#include "executor/tiles/generate.hpp"
#include "executor/tiles/tile_indices.hpp"

namespace foretile {

namespace {

constexpr std::align_val_t kMemoryAlignment{256};

/// One thread that does its work in order.
class LaneThread {
 public:
  explicit LaneThread(std::function<void()> on_point) : on_point_(std::move(on_point)) {}
  ~LaneThread() { finish(); }
  LaneThread(const LaneThread&) = delete;
  LaneThread& operator=(const LaneThread&) = delete;

  /// Does what was given and ends the thread.
  void finish() {
    {
      const std::scoped_lock lock(mutex_);
      stop_ = true;
    }
    given_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  void give(std::function<void()> job) {
    {
      const std::scoped_lock lock(mutex_);
      jobs_.push_back(std::move(job));
    }
    given_.notify_one();
    if (!thread_.joinable()) thread_ = start_thread<std::thread>([this] { work(); });
  }

  std::uint64_t mark() {
    give([this, number = ++marks_] { reach(number); });
    return marks_;
  }

  std::uint64_t reached() {
    const std::scoped_lock lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    return reached_;
  }

  /// For other lanes' threads. Lanes only wait for work given before, so they never wait for each other in a
  /// ring.
  void wait_for(std::uint64_t number) {
    std::unique_lock lock(mutex_);
    point_.wait(lock, [&] { return reached_ >= number || failure_; });
  }

 private:
  void reach(std::uint64_t number) {
    {
      const std::scoped_lock lock(mutex_);
      reached_ = number;
    }
    point_.notify_all();
    on_point_();
  }

  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      given_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      const bool failed = failure_ != nullptr;
      lock.unlock();
      if (!failed) run(job);
    }
  }

  void run(const std::function<void()>& job) {
    try {
      job();
    } catch (...) {
      {
        const std::scoped_lock lock(mutex_);
        failure_ = std::current_exception();
      }
      point_.notify_all();
      on_point_();
    }
  }

  std::function<void()> on_point_;
  std::mutex mutex_;
  std::condition_variable given_, point_;
  std::deque<std::function<void()>> jobs_;
  std::uint64_t marks_ = 0;    // given; of the caller's thread
  std::uint64_t reached_ = 0;  // of the lane's
  std::exception_ptr failure_;
  bool stop_ = false;
  std::thread thread_;  // started by the first job
};

void multiply_one(const ProductForm& form, TileKernel::Library library, const TileProduct& x) {
  const COld old = x.first ? COld::ignored : COld::added;
  TileKernel(form, x.m, x.n, x.k, old, library)(x.a, x.b, x.c);
}

void copy_rows(const CopyPiece& piece) {
  for (std::int64_t row = 0; row < piece.count; ++row) {
    std::memcpy(piece.to + row * piece.to_step, piece.from + row * piece.from_step,
                static_cast<std::size_t>(piece.bytes));
  }
}

/// With lists of its own, for those of a call do not stay.
struct KeptCombine {
  explicit KeptCombine(const TileToCombine& given)
      : extents(given.extents.begin(), given.extents.end()),
        permutation(given.permutation.begin(), given.permutation.end()),
        tile(given) {
    tile_indices(extents, permutation);  // throws now
  }
  void run(Precision precision) const {
    combine_tile({precision}, extents, permutation, tile.beta, tile.factor, tile.from, tile.to);
  }

  std::vector<std::int64_t> extents;
  std::vector<int> permutation;
  TileToCombine tile;
};

}  // namespace

class StandInGpu final : public Gpu {
 public:
  StandInGpu(StandInGpus& system, int physical, int kernel_lanes) : system_(system), physical_(physical) {
    for (int lane = 0; lane < kFirstKernelLane + kernel_lanes; ++lane) {
      lanes_.push_back(std::make_unique<LaneThread>([this] { system_.notify_point(); }));
    }
  }
  ~StandInGpu() override {
    for (const auto& lane : lanes_) lane->finish();  // before any goes: they follow each other
    for (const auto& [memory, bytes] : memory_) {
      ::operator delete(memory, kMemoryAlignment);
      system_.take(physical_, -bytes);
    }
  }
  StandInGpu(const StandInGpu&) = delete;
  StandInGpu& operator=(const StandInGpu&) = delete;

  std::byte* allocate(std::int64_t bytes) override {
    system_.take(physical_, bytes);
    memory_.emplace_back(static_cast<std::byte*>(::operator new(bytes, kMemoryAlignment)), bytes);
    return memory_.back().first;
  }
  void copy(Lane lane, std::span<const CopyPiece> pieces) override {
    lanes_[lane]->give([pieces = std::vector(pieces.begin(), pieces.end())] {
      for (const CopyPiece& piece : pieces) copy_rows(piece);
    });
  }
  void multiply(Lane lane, const ProductForm& form, std::span<const TileProduct> products) override {
    const auto library =
        system_.options_.small_products ? TileKernel::Library::best : TileKernel::Library::blas;
    lanes_[lane]->give([form, library, products = std::vector(products.begin(), products.end())] {
      for (const TileProduct& product : products) multiply_one(form, library, product);
    });
  }
  void make(Lane lane, Precision precision, std::span<const TileToMake> tiles) override {
    lanes_[lane]->give([precision, tiles = std::vector(tiles.begin(), tiles.end())] {
      for (const TileToMake& tile : tiles)
        generate_tile(precision, tile.to, tile.elements, tile.key, tile.norm);
    });
  }
  void combine(Lane lane, Precision precision, std::span<const TileToCombine> tiles) override {
    lanes_[lane]->give([precision, tiles = std::vector<KeptCombine>(tiles.begin(), tiles.end())] {
      for (const KeptCombine& tile : tiles) tile.run(precision);
    });
  }
  void follow(Lane lane, Lane other) override {
    lanes_[lane]->give(
        [from = lanes_[other].get(), number = lanes_[other]->mark()] { from->wait_for(number); });
  }
  std::uint64_t mark(Lane lane) override { return lanes_[lane]->mark(); }
  std::uint64_t reached(Lane lane) override { return lanes_[lane]->reached(); }

 private:
  StandInGpus& system_;
  int physical_;
  std::vector<std::pair<std::byte*, std::int64_t>> memory_;
  std::vector<std::unique_ptr<LaneThread>> lanes_;
};

StandInGpus::StandInGpus(StandInOptions options) : options_(options), used_(options.count, 0) {}

GpuFacts StandInGpus::facts(int physical) {
  return {"stand-in (threads of the CPU)", tile_kernels(options_.small_products), options_.memory_bytes,
          options_.memory_bytes - used_.at(physical)};
}

std::unique_ptr<Gpu> StandInGpus::open(int physical, int kernel_lanes) {
  return std::make_unique<StandInGpu>(*this, physical, kernel_lanes);
}

void StandInGpus::take(int physical, std::int64_t bytes) {
  const std::int64_t left = options_.memory_bytes - used_[physical];
  if (bytes > left) {
    throw WorkError(fmt::format("device memory: {} bytes asked for, {} are free: {} bytes are missing", bytes,
                                left, bytes - left));
  }
  used_[physical] += bytes;
}

std::byte* StandInGpus::allocate_host(std::int64_t bytes) {
  return static_cast<std::byte*>(::operator new(bytes, kMemoryAlignment));
}

void StandInGpus::free_host(std::byte* memory) {
  ::operator delete(memory, kMemoryAlignment);
}

void StandInGpus::notify_point() {
  {
    const std::scoped_lock lock(mutex_);
    any_point_ = true;
  }
  point_reached_.notify_all();
}

void StandInGpus::pause(double seconds) {
  std::unique_lock lock(mutex_);
  point_reached_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return any_point_; });
  any_point_ = false;
}

}  // namespace foretile
