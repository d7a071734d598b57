// SPDX-License-Identifier: BSD-3-Clause
// How fast the cores are right now: a short mix of products, the same at calibration and before a run.
#pragma once

#include <vector>

namespace foretile {

/// Each thread multiplies tiles of 512 and of 64, which take about as long as each other, from 48 MiB of its
/// own.
class Probe {
 public:
  explicit Probe(int threads);
  ~Probe();
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;

  /// Of all threads together, in about `seconds` of elapsed time. What else runs on the machine shows in it.
  double flops_per_s(double seconds);

 private:
  class Tiles;
  std::vector<Tiles> tiles_;  // of each thread
};

/// Of a probe that is made for it.
double probe_flops_per_s(int threads, double seconds);

/// Below this part of its calibrated rate a machine counts as slower than calibrated.
inline constexpr double kSlowShare = 0.9;

/// Time for one probe beside a run.
inline constexpr double kProbe_s = 0.25;

}  // namespace foretile
