// SPDX-License-Identifier: BSD-3-Clause
// Two machines side by side: their figures, and what these mean for products and copies of tiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/keys.hpp"
#include "platforms/platform.hpp"

namespace foretile {

/// A key that at least one of the two files has.
struct ComparedFigure {
  const PlatformKey* key;
  std::string first, second;            ///< as text with units; empty where the file does not have it
  std::optional<double> a, b;           ///< numbers, in SI units; none for text and where it is missing
  std::optional<double> ratio() const;  ///< second over first
};

/// What a model of either machine predicts.
struct ComparedPrediction {
  std::string what;  ///< "products, double, 512 x 512 x 512"
  std::int64_t tile = 0;
  Dimension dimension = Dimension::number;
  double first = 0, second = 0;
  double spread =
      0;  ///< relative deviation of the ratio from run to run, from both platforms' noise; 0: none is known

  double ratio() const { return second / first; }
  /// Apart by more than twice the spread of the ratio: for normally distributed noise, in 5% of the cases by
  /// chance.
  bool differs() const;
};

struct PlatformComparison {
  std::string first, second;  ///< names; with the sources where the names are the same
  std::vector<ComparedFigure> figures;
  std::vector<ComparedPrediction> predictions;
  std::string first_runtime, second_runtime;  ///< Runtime::source

  /// Times of the two then differ for their software too, not only for the machines.
  bool runtimes_differ() const { return first_runtime != second_runtime; }
};

/// Predictions are rates of products on one device in steady state, one in a launch and, where both know
/// it, 16; and bytes per second at which tiles come from the host. Only what both platforms have.
PlatformComparison compare_platforms(const Platform& first, const Platform& second);

}  // namespace foretile
