// SPDX-License-Identifier: BSD-3-Clause
// Quantiles of a sample.
#pragma once

#include <vector>

namespace foretile {

/// The value at rank q (N + 1) of the N sorted `values`, counted from 1; between two ranks linear, beyond the
/// first and last these: definition 6 of Hyndman and Fan, "Sample quantiles in statistical packages" (1996).
/// Another value of the same distribution is below it with probability q. `values` are not empty.
double quantile(std::vector<double> values, double q);

}  // namespace foretile
