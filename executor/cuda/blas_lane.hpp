// Products of tiles on one stream, by cuBLAS.
#pragma once

#include <span>

#include "base/precision.hpp"
#include "executor/cuda/blas_calls.hpp"
#include "executor/cuda/owned.hpp"
#include "executor/cuda/pointer_ring.hpp"
#include "executor/cuda/products.hpp"

namespace foretile {

class BlasLane {
 public:
  /// On the current device, which must stay current in all calls. `ring` addresses fit into its lists, at
  /// least 3. Without `grouped`, products of several shapes are a launch per shape.
  explicit BlasLane(cudaStream_t stream, std::int64_t ring = 98304, bool grouped = kHasGroupedBatched);

  /// See Gpu::multiply().
  void multiply(Precision precision, std::span<const TileProduct> products);

 private:
  template <typename Real>
  void run(std::span<const TileProduct> products);

  cudaStream_t stream_;
  bool grouped_;
  DeviceMemory workspace_;
  PointerRing ring_;
  Blas blas_;  ///< goes before its workspace
};

}  // namespace foretile
