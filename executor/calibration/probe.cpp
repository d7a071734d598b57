// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/probe.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/calibration/measure.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/generate.hpp"

namespace foretile {

namespace {

constexpr std::int64_t kLarge = 512;
constexpr std::int64_t kSmall = 64;
constexpr int kSmallProducts = 150;  // about the time of a large one
/// Of A, of B and of C: twice a core's share of most last-level caches.
constexpr std::size_t kElements = std::size_t{1} << 21;

double flops_of_round() {
  const auto cube = [](std::int64_t n) { return 2.0 * static_cast<double>(n * n * n); };
  return cube(kLarge) + kSmallProducts * cube(kSmall);
}

}  // namespace

class Probe::Tiles {
 public:
  explicit Tiles(std::uint64_t key) : a_(kElements), b_(kElements), c_(kElements) {
    for (std::vector<double>* memory : {&a_, &b_, &c_}) generate_tile(*memory, key, 1);
  }

  void round(int number) {
    multiply(kLarge, number);
    for (int i = 0; i < kSmallProducts; ++i) multiply(kSmall, number * kSmallProducts + i);
  }

 private:
  /// Tiles in turn, so that most come from beyond the first caches.
  void multiply(std::int64_t n, int number) {
    const std::size_t tile = static_cast<std::size_t>(n * n);
    const std::size_t at = static_cast<std::size_t>(number) % (kElements / tile) * tile;
    gemm(n, n, n, a_.data() + at, n, b_.data() + at, n, c_.data() + at, n);
  }

  std::vector<double> a_, b_, c_;
};

Probe::Probe(int threads) {
  for (int thread = 0; thread < threads; ++thread) tiles_.emplace_back(static_cast<std::uint64_t>(thread));
}

Probe::~Probe() = default;

double Probe::flops_per_s(double seconds) {
  const int threads = static_cast<int>(tiles_.size());
  const Timing timing = time_on_all_cores(
      {threads, seconds, 3}, [&](int core, int i) { tiles_[static_cast<std::size_t>(core)].round(i); });
  return static_cast<double>(timing.seconds.size()) * flops_of_round() / (timing.elapsed_s / threads);
}

double probe_flops_per_s(int threads, double seconds) {
  return Probe(threads).flops_per_s(seconds);
}

}  // namespace foretile
