// SPDX-License-Identifier: BSD-3-Clause
// Fitting the kernel model to measured products.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "platforms/kernel_model.hpp"

namespace foretile {

struct KernelSample {
  std::int64_t m = 0, n = 0, k = 0;
  double seconds = 0;  ///< of one launch
  int batch = 1;       ///< products in it, all alike
  double spread = 0;   ///< relative, from run to run; no part of the fit
};

/// Every m, n and k from the list, times to be measured.
std::vector<KernelSample> shapes_of(const std::vector<std::int64_t>& sizes, int batch = 1);

/// Every second size, the last one always: enough shapes for another curve of five parameters.
std::vector<std::int64_t> every_second(const std::vector<std::int64_t>& sizes);

struct KernelFit {
  KernelModel model;
  double median_error = 0;  ///< of |predicted - measured| / measured over the samples
  double p90_error = 0;     ///< 90th percentile of the same
};

/// Least squares on the logarithms of the times, so that each sample counts by its relative error: Eigen's
/// Levenberg-Marquardt from several starts, all parameters kept at 0 or above.
/// Throws WorkError for fewer than 5 samples, as many as there are parameters, or times that are not
/// positive.
KernelFit fit_kernel_model(const std::vector<KernelSample>& samples);

/// The fit with the model's table of factors: least squares of log(measured work / work of the curve) on the
/// table, which is linear between its sizes; nearly cubic samples count most. A size that no sample touches
/// keeps the factor of its neighbour.
KernelFit with_size_factors(KernelFit fit, const std::vector<KernelSample>& samples);

/// The error on one half of the samples of a curve and table that are fitted to the other.
struct HeldOut {
  double median_error = 0;
  double p90_error = 0;

  /// Relative standard deviation of normal errors whose median size this is: 0.6745 of it.
  double spread() const { return 1.4826 * median_error; }
};
/// None where half of the samples are too few for a fit.
std::optional<HeldOut> held_out_error(const std::vector<KernelSample>& samples);

/// Error of the samples that are nearest to each size of the table, by (m n k)^(1/3), with no extent more
/// than 3 times another.
struct SizeError {
  int size = 0;
  std::size_t samples = 0;
  double median_error = 0;  ///< of |predicted - measured| / measured
  double bias = 0;          ///< median of predicted / measured - 1
};
std::vector<SizeError> errors_by_size(const KernelModel& model, const std::vector<KernelSample>& samples);

}  // namespace foretile
