// SPDX-License-Identifier: BSD-3-Clause
// Products of tiles on a GPU, timed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/element_type.hpp"
#include "executor/calibration/fit.hpp"
#include "executor/calibration/measure_gpu.hpp"
#include "platforms/device_model.hpp"

namespace foretile {

/// Launches of products on tiles that are in a ring of device memory larger than any cache, used one after
/// the other, as those of a contraction are.
class ProductBench {
 public:
  /// Takes `bytes` of the device's memory, a third for A, B and C each. `lanes` kernel lanes of `gpu` exist.
  ProductBench(Gpus& gpus, Gpu& gpu, int lanes, std::int64_t bytes);

  /// Makes numbers between -1 and 1 in all operands: how fast a GPU multiplies depends on its power, and
  /// that on the numbers.
  void fill(Precision precision);
  /// Products of complex or of real numbers from now on, of what the operands hold; `fill` makes them real.
  void take_as_complex(bool is_complex) { element_.is_complex = is_complex; }
  /// Whether a launch finds distinct tiles of C.
  bool fits(const KernelSample& shape) const;
  /// Time per launch while `lanes` lanes work, less where the ring has not enough tiles of C for all of them.
  /// Throws WorkError for what does not fit.
  Measured measure(const KernelSample& shape, int lanes, double seconds);
  /// The same for a launch of products that differ.
  Measured measure_launch(const std::vector<ProductSize>& launch, int lanes, double seconds);

 private:
  /// Bytes from one tile of each matrix to the next.
  struct Layout {
    std::int64_t a = 0, b = 0, c = 0;
  };
  static Layout layout(const std::vector<ProductSize>& launch, std::int64_t element_bytes);
  bool fits(const Layout& tiles, std::size_t products) const;
  void give(const std::vector<ProductSize>& launch, const Layout& tiles, int lanes, std::int64_t first,
            std::int64_t count);

  Gpus& gpus_;
  Gpu& gpu_;
  int most_lanes_;
  std::int64_t third_;  // bytes
  std::byte *a_, *b_, *c_;
  ElementType element_;
  std::vector<TileProduct> launch_;
};

/// The rate of one tile size at one number of lanes.
struct LaneSample {
  std::int64_t tile = 0;
  int lanes = 1;
  double flops_per_s = 0;
  double spread = 0;
};

/// Square tiles on 1, 2, 4, ... `most` lanes.
std::vector<LaneSample> measure_lanes(ProductBench& bench, const std::vector<std::int64_t>& tiles, int most,
                                      double seconds);

/// Fewest lanes that come within 3% of the best: by the mean over the tiles of the logarithm of their rate.
/// At least 1.
int best_lanes(const std::vector<LaneSample>& samples);

/// Products of many shapes, and the curve through them.
struct ProductCurve {
  std::string when;  ///< UTC; empty: not measured
  int lanes = 1;
  std::size_t left_out = 0;           ///< shapes that would have taken more than their share of the time
  std::vector<KernelSample> samples;  ///< seconds are elapsed time per launch, all lanes busy
  KernelFit fit;                      ///< its latency is that of one lane: `lanes` times what a launch takes
  double spread = 0;                  ///< median over the shapes

  bool measured() const { return !when.empty(); }
};

/// A launch of products that differ, where curves are fitted to products that are alike.
struct MixedLaunch {
  int products = 0;
  double seconds = 0;
  double predicted_s = 0;  ///< by the curve
  double spread = 0;
};

/// Extents from the list in turn.
MixedLaunch measure_mixed(ProductBench& bench, const std::vector<std::int64_t>& tiles, int products,
                          const ProductCurve& curve, double seconds);

/// KernelModel::complex_factor: cubes of complex numbers in turn with real ones of the precision that the
/// bench was filled with, `batch` in a launch; the median over the tiles that fit, have the time and take
/// longer than their launch, 1 without one.
double measure_complex(ProductBench& bench, const std::vector<std::int64_t>& tiles, int batch,
                       const ProductCurve& curve, double seconds);

/// Shapes in order of their operations, each for an equal share of `seconds`. At least five have to fit into
/// the ring (WorkError).
ProductCurve measure_curve(ProductBench& bench, std::vector<KernelSample> shapes, int lanes, double seconds);

}  // namespace foretile
