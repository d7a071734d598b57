// SPDX-License-Identifier: BSD-3-Clause
// Measuring the GPUs at hand, to write a platform file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "executor/calibration/calibrate.hpp"
#include "executor/calibration/measure_copies.hpp"
#include "executor/calibration/measure_products.hpp"
#include "executor/gpu/gpu.hpp"

namespace foretile {

struct GpuCalibrationOptions {
  double seconds = 120;  ///< for all measurements together; what one leaves the others have
  /// Products of every m, n and k from this list are timed, each in a launch of its own.
  std::vector<std::int64_t> sizes = {64, 128, 256, 512, 1024, 2048, 4096};
  /// Beside them, of each of these and of its neighbours in the list: extents that no library was written
  /// for.
  std::vector<std::int64_t> odd_sizes = {95, 383, 767, 1531};
  std::vector<std::int64_t> lane_tiles = {64, 128, 256, 512};  ///< on 1, 2, 4, ... most_lanes lanes
  int most_lanes = 8;
  std::vector<std::int64_t> batch_tiles = {64, 128, 256,
                                           512};  ///< every m, n and k, `shape_batch` in a launch
  int shape_batch = 16;
  std::vector<int> batches = {2, 4, 16, 64, 256};   ///< of cubes of the same tiles
  bool single = true;                               ///< single precision too
  std::int64_t ring_bytes = std::int64_t{3} << 29;  ///< for operands; a quarter of the free memory at most
  /// 4 KiB to 256 MiB.
  std::vector<std::int64_t> copies = {1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20,
                                      1 << 22, 1 << 24, 1 << 26, 1 << 28};
  std::int64_t make_bytes = 1 << 21;                      ///< of a tile made on the device
  CalibrationOptions host;                                ///< for generation and copies on the cores
  std::function<void(const std::string& what)> progress;  ///< before each part; may be empty
};

struct GpuCalibration {
  CalibrationResult host;  ///< its bandwidths; no products
  GpuFacts device;         ///< of the first; the others are taken to be the same
  int devices = 1;
  std::vector<LaneSample> lanes;
  int best_lanes = 1;
  std::string lanes_when;
  ProductCurve kernel, batched, single, single_batched;  ///< the last two empty without `single`
  MixedLaunch mixed;                                     ///< double precision
  double launches_per_s = 0;                             ///< of products of 16 x 16 x 16, all lanes
  double launches_per_s_one_lane = 0;
  double launches_spread = 0;
  double notice_s = 0;  ///< from the end of no work until it is seen: marking a lane and asking
  std::string launches_when;
  GpuCopies copies;
  GenerationRate making;
};

/// Measures all devices' copies and the first one's products. Throws WorkError when the device fails or has
/// no room, InputError for sizes that cannot be measured.
GpuCalibration calibrate_gpu(Gpus& gpus, const GpuCalibrationOptions& options = {});

/// A platform file with each figure's origin in a comment.
std::string gpu_calibration_toml(const GpuCalibration& result, const std::string& samples_file);

}  // namespace foretile
