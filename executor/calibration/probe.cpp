// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/probe.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "executor/calibration/measure.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/tiles/generate.hpp"

namespace foretile {

namespace {

double flops_of_product(std::int64_t n) {
  return 2.0 * static_cast<double>(n * n * n);
}

}  // namespace

double ProbeRound::flops() const {
  return flops_of_product(large) + small_products * flops_of_product(small);
}

class Probe::Tiles {
 public:
  Tiles(const ProbeRound& round, std::uint64_t key) {
    for (std::vector<double>* memory : {&a_, &b_, &c_}) {
      memory->resize(static_cast<std::size_t>(round.bytes) / sizeof(double));
      generate_tile(*memory, key, 1);
    }
  }

  void multiply(const ProbeRound& round, int number) {
    multiply(round.large, number);
    for (int i = 0; i < round.small_products; ++i) multiply(round.small, number * round.small_products + i);
  }

 private:
  /// Tiles in turn, so that most come from beyond the first caches.
  void multiply(std::int64_t n, int number) {
    const std::size_t tile = static_cast<std::size_t>(n * n);
    const std::size_t at = static_cast<std::size_t>(number) % (a_.size() / tile) * tile;
    gemm(n, n, n, a_.data() + at, n, b_.data() + at, n, c_.data() + at, n);
  }

  std::vector<double> a_, b_, c_;
};

Probe::Probe(int threads, const ProbeRound& round) : round_(round) {
  for (int thread = 0; thread < threads; ++thread)
    tiles_.emplace_back(round, static_cast<std::uint64_t>(thread));
}

Probe::~Probe() = default;

ProbeRates Probe::rates(double seconds) {
  const int threads = static_cast<int>(tiles_.size());
  const Timing timing = time_on_all_cores({threads, seconds, 3}, [&](int core, int i) {
    tiles_[static_cast<std::size_t>(core)].multiply(round_, i);
  });
  ProbeRates rates{static_cast<double>(timing.seconds.size()) * round_.flops() / (timing.elapsed_s / threads),
                   timing.per_s};
  for (double& rate : rates.of_each) rate *= round_.flops();
  return rates;
}

double probe_flops_per_s(int threads, double seconds) {
  return Probe(threads).flops_per_s(seconds);
}

}  // namespace foretile
