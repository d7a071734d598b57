// SPDX-License-Identifier: BSD-3-Clause
// One logical device over CUDA.
#pragma once

#include <memory>
#include <vector>

#include "executor/cuda/blas_lane.hpp"
#include "executor/cuda/host_borders.hpp"
#include "executor/cuda/marks.hpp"
#include "executor/cuda/owned.hpp"
#include "executor/cuda/poll_backoff.hpp"
#include "executor/gpu/gpu.hpp"

namespace foretile {

/// Beside what allocate() is asked for it takes memory of its own for each kernel lane: a workspace of cuBLAS
/// (32 MiB on Hopper, else 4 MiB), lists of addresses (less than 1 MiB) and what cuBLAS takes for a handle.
class CudaGpu final : public Gpu {
 public:
  /// Throws WorkError. Requires physical < cudaGetDeviceCount() and kernel_lanes >= 1. `backoff`, which
  /// is called when a point was reached, and `borders`, which no copy crosses, must outlive this.
  CudaGpu(int physical, int kernel_lanes, PollBackoff& backoff, const HostBorders& borders);
  ~CudaGpu() override;
  CudaGpu(const CudaGpu&) = delete;
  CudaGpu& operator=(const CudaGpu&) = delete;

  std::byte* allocate(std::int64_t bytes) override;
  void copy(Lane lane, std::span<const CopyPiece> pieces) override;
  void multiply(Lane lane, const ProductForm& form, std::span<const TileProduct> products) override;
  void make(Lane lane, Precision precision, std::span<const TileToMake> tiles) override;
  void combine(Lane lane, Precision precision, std::span<const TileToCombine> tiles) override;
  void follow(Lane lane, Lane other) override;
  std::uint64_t mark(Lane lane) override;
  std::uint64_t reached(Lane lane) override;

 private:
  struct LaneState {
    explicit LaneState(bool kernels);
    Stream stream;
    Marks marks;
    Event followed;                  ///< by other lanes, lately
    std::unique_ptr<BlasLane> blas;  ///< of kernel lanes only
  };

  LaneState& find(Lane lane);
  LaneState& on(Lane lane);

  int physical_;
  PollBackoff& backoff_;
  const HostBorders& borders_;
  std::vector<OwnedDeviceMemory> memory_;
  std::vector<LaneState> lanes_;
};

}  // namespace foretile
