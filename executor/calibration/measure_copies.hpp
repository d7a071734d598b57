// SPDX-License-Identifier: BSD-3-Clause
// Copies between host and GPUs and between GPUs, and tiles made on a GPU, timed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/calibration/measure_gpu.hpp"
#include "platforms/platform.hpp"

namespace foretile {

/// Copies of one size.
struct CopySample {
  std::int64_t bytes = 0;
  double alone_s = 0;   ///< one, from the call until its end was noticed
  double queued_s = 0;  ///< one of many, given one behind the other
  double spread = 0;    ///< relative, of `queued_s`
};

struct CopyCurve {
  std::vector<CopySample> samples;  ///< by size
  /// Bandwidth of the largest copies queued; latency: what the smallest takes alone beyond its bytes.
  LinkModel link;
  double spread = 0;  ///< median over the sizes
};

/// What a copy of each size takes from memory to memory on a lane; both are used in turn. Sizes from the
/// list up to `bytes`, at least one.
struct CopyPath {
  GpuLane on;
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::int64_t bytes = 0;  ///< of either memory
};
CopyCurve measure_copies(Gpus& gpus, const CopyPath& path, const std::vector<std::int64_t>& sizes,
                         double seconds);

/// Bytes per second of several paths together, each busy all the time: each copies in proportion to its
/// weight, the bandwidth it has alone.
struct SharedPath {
  CopyPath path;
  double weight = 1;
};
struct SharedCopies {
  double bytes_per_s = 0;
  double spread = 0;
};
SharedCopies measure_together(Gpus& gpus, const std::vector<SharedPath>& paths, std::int64_t piece,
                              double seconds);

/// What can be copied on all GPUs of the machine.
struct GpuCopies {
  std::string when;  ///< UTC
  CopyCurve in, out;
  SharedCopies both;    ///< host to device and back together, on one device
  SharedCopies all_in;  ///< host to all devices together; with one device, as `in`
  CopyCurve peer;       ///< device 0 to 1; no samples with one device
  bool direct = false;  ///< between them
};
/// Without the sizes that take too long.
GpuCopies measure_gpu_copies(Gpus& gpus, std::vector<Gpu*> devices, const std::vector<std::int64_t>& wanted,
                             double seconds);

/// Bytes per second at which a GPU makes tiles of B.
struct GenerationRate {
  std::string when;  ///< UTC
  double bytes_per_s = 0;
  double spread = 0;
};
GenerationRate measure_generation(Gpus& gpus, Gpu& gpu, std::int64_t tile_bytes, double seconds);

}  // namespace foretile
