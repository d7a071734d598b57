// How long one product of tiles takes on a device.
#pragma once

#include <cstdint>

namespace foretile {

/// Time of C += A B on tiles of m x k and k x n:
///   t = latency / streams + 2 m n k / rate * (1 + half_m/m) (1 + half_n/n) (1 + half_k/k).
/// The form was fitted to 160 FP32 shapes of DeepBench on a V100 (figures and errors: platforms/summit.toml);
/// `here` is fitted anew by calibration.
struct KernelModel {
  double rate_flops_per_s = 0;  ///< asymptotic rate of large products
  double half_m = 0;            ///< sizes at which the rate is halved
  double half_n = 0;
  double half_k = 0;
  double latency_s = 0;  ///< fixed cost of one launch
  int streams = 1;       ///< kernels in flight at once; they hide each other's latency

  double seconds(std::int64_t m, std::int64_t n, std::int64_t k) const;
};

}  // namespace foretile
