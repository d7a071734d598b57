// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/cuda_gpu.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "base/error.hpp"
#include "executor/cuda/combine_launches.hpp"
#include "executor/cuda/kernels.hpp"
#include "executor/cuda/status.hpp"

namespace foretile {

namespace {

constexpr int kEventsPerLane = 256;

void make_current(int physical) {
  check(cudaSetDevice(physical), "cudaSetDevice");
}

/// Of which the direction follows from the addresses: all memory of devices and all pinned memory share one
/// address space (https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__UNIFIED.html). Between devices
/// without peer access the runtime goes through the host by itself
/// (https://docs.nvidia.com/cuda/cuda-c-programming-guide/, section "Peer-to-Peer Memory Copy").
void copy_piece(const CopyPiece& piece, cudaStream_t stream) {
  if (piece.bytes <= 0) return;
  const auto bytes = static_cast<std::size_t>(piece.bytes);
  if (piece.count > 1) {
    check(cudaMemcpy2DAsync(piece.to, static_cast<std::size_t>(piece.to_step), piece.from,
                            static_cast<std::size_t>(piece.from_step), bytes,
                            static_cast<std::size_t>(piece.count), cudaMemcpyDefault, stream),
          "cudaMemcpy2DAsync");
    return;
  }
  check(cudaMemcpyAsync(piece.to, piece.from, bytes, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
}

/// As in generate_tile().
double width_of(const TileToMake& tile) {
  return 2 * (tile.norm * std::sqrt(3.0 / static_cast<double>(tile.elements)));
}

}  // namespace

CudaGpu::LaneState::LaneState(bool kernels)
    : stream(make_stream(kernels ? Urgency::low : Urgency::high)),
      marks(kEventsPerLane),
      followed(make_event()),
      blas(kernels ? std::make_unique<BlasLane>(stream.get()) : nullptr) {}

CudaGpu::CudaGpu(int physical, int kernel_lanes, PollBackoff& backoff)
    : physical_(physical), backoff_(backoff) {
  make_current(physical);
  const Lane lanes = kFirstKernelLane + kernel_lanes;
  for (Lane lane = 0; lane < lanes; ++lane) lanes_.emplace_back(lane >= kFirstKernelLane);
}

CudaGpu::~CudaGpu() {
  static_cast<void>(cudaSetDevice(physical_));
  for (const LaneState& lane : lanes_) static_cast<void>(cudaStreamSynchronize(lane.stream.get()));
}

CudaGpu::LaneState& CudaGpu::find(Lane lane) {
  if (lane < 0 || lane >= static_cast<Lane>(lanes_.size())) {
    throw std::logic_error(fmt::format("CudaGpu: no lane {}, there are {}", lane, lanes_.size()));
  }
  return lanes_[static_cast<std::size_t>(lane)];
}

/// With the device current.
CudaGpu::LaneState& CudaGpu::on(Lane lane) {
  LaneState& state = find(lane);
  make_current(physical_);
  return state;
}

std::byte* CudaGpu::allocate(std::int64_t bytes) {
  make_current(physical_);
  memory_.push_back(allocate_on_device(bytes));
  return memory_.back().get();
}

void CudaGpu::copy(Lane lane, std::span<const CopyPiece> pieces) {
  cudaStream_t stream = on(lane).stream.get();
  for (const CopyPiece& piece : pieces) copy_piece(piece, stream);
}

void CudaGpu::multiply(Lane lane, const ProductForm& form, std::span<const TileProduct> products) {
  LaneState& state = on(lane);
  if (!state.blas) throw std::logic_error(fmt::format("CudaGpu: lane {} is none for kernels", lane));
  state.blas->multiply(form, products);
}

void CudaGpu::make(Lane lane, Precision precision, std::span<const TileToMake> tiles) {
  cudaStream_t stream = on(lane).stream.get();
  for (const TileToMake& tile : tiles) {
    if (tile.elements <= 0) continue;
    check(launch_make(tile.to, tile.elements, tile.key, width_of(tile), precision, stream),
          "cudaLaunchKernel");
  }
}

void CudaGpu::combine(Lane lane, Precision precision, std::span<const TileToCombine> tiles) {
  const std::vector<CombineLaunch> launches = combine_launches(tiles);
  cudaStream_t stream = on(lane).stream.get();
  for (const CombineLaunch& launch : launches)
    check(launch_combine(launch, precision, stream), "cudaLaunchKernel");
}

/// A stream waits for what the event stands for now; to record it anew does not change that
/// (https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__EVENT.html, cudaEventRecord()).
void CudaGpu::follow(Lane lane, Lane other) {
  if (lane == other) return;
  const LaneState& ahead = on(other);
  check(cudaEventRecord(ahead.followed.get(), ahead.stream.get()), "cudaEventRecord");
  check(cudaStreamWaitEvent(on(lane).stream.get(), ahead.followed.get(), 0), "cudaStreamWaitEvent");
}

std::uint64_t CudaGpu::mark(Lane lane) {
  LaneState& state = on(lane);
  return state.marks.add(state.stream.get());
}

std::uint64_t CudaGpu::reached(Lane lane) {
  Marks& marks = find(lane).marks;
  const std::uint64_t before = marks.last_reached();
  const std::uint64_t now = marks.reached();  // events are asked from any device
  if (now > before) backoff_.point_reached();
  return now;
}

}  // namespace foretile
