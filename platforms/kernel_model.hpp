// How long products of tiles take on a device.
#pragma once

#include <cstdint>

namespace foretile {

/// Time of a launch of C += A B on tiles of m x k and k x n, one product or several that are alike:
///   t = latency / streams + count * 2 m n k / rate * (1 + half_m/m) (1 + half_n/n) (1 + half_k/k).
/// The form was fitted to 160 FP32 shapes of DeepBench on a V100 (figures and errors: platforms/summit.toml);
/// calibration fits it anew to the machine it runs on.
struct KernelModel {
  double rate_flops_per_s = 0;  ///< asymptotic rate of large products; 0: the model is not known
  double half_m = 0;            ///< sizes at which the rate is halved
  double half_n = 0;
  double half_k = 0;
  double latency_s = 0;  ///< fixed cost of one launch
  int streams = 1;       ///< launches in flight at once; they hide each other's latency

  bool known() const { return rate_flops_per_s > 0; }
  /// What each product adds to its launch.
  double work_seconds(std::int64_t m, std::int64_t n, std::int64_t k) const;
  /// What each launch takes beside its products.
  double start_seconds() const { return latency_s / streams; }
  /// A launch of `count` products.
  double seconds(std::int64_t m, std::int64_t n, std::int64_t k, int count = 1) const;
};

}  // namespace foretile
