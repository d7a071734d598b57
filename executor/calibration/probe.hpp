// SPDX-License-Identifier: BSD-3-Clause
// How fast the cores are right now: a short mix of products, the same at calibration and before a run.
#pragma once

#include <cstdint>
#include <vector>

namespace foretile {

/// What each thread multiplies, again and again.
struct ProbeRound {
  std::int64_t large = 512;  ///< extent of one product
  std::int64_t small = 64;   ///< of the others
  int small_products = 150;  ///< which take about as long as the large one
  /// Of A, of B and of C: twice a core's share of most last-level caches. At least a large tile.
  std::int64_t bytes = std::int64_t{16} << 20;

  double flops() const;
};

/// What a probe found, in flop/s.
struct ProbeRates {
  double all = 0;               ///< of all threads together
  std::vector<double> of_each;  ///< of each thread
};

/// Each thread multiplies tiles from memory of its own.
class Probe {
 public:
  explicit Probe(int threads, const ProbeRound& round = {});
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  /// In about `seconds` of elapsed time. What else runs on the machine shows in it.
  ProbeRates rates(double seconds);
  /// Of all threads together.
  double flops_per_s(double seconds) { return rates(seconds).all; }

 private:
  class Tiles;
  ProbeRound round_;
  std::vector<Tiles> tiles_;  // of each thread
};

/// Of a probe that is made for it.
double probe_flops_per_s(int threads, double seconds);

/// Below this part of its calibrated rate a machine counts as slower than calibrated.
inline constexpr double kSlowShare = 0.9;

/// Time for one probe beside a run.
inline constexpr double kProbe_s = 0.25;

}  // namespace foretile
