// SPDX-License-Identifier: BSD-3-Clause
#include "executor/cuda/cuda_gpu.hpp"

#include <fmt/format.h>

#include <algorithm>
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
void copy_rows(const CopyPiece& piece, cudaStream_t stream) {
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

/// A row that crosses borders, in parts that do not.
void copy_in_parts(CopyPiece row, const HostBorders& borders, cudaStream_t stream) {
  while (row.bytes > 0) {
    const std::int64_t part =
        std::min({row.bytes, borders.bytes_to_next(row.to), borders.bytes_to_next(row.from)});
    copy_rows({row.to, row.from, part}, stream);
    row.to += part;
    row.from += part;
    row.bytes -= part;
  }
}

/// Rows that end before the border, which is that many bytes behind the first one's begin.
std::int64_t rows_before(std::int64_t border, std::int64_t bytes, std::int64_t step) {
  if (border < bytes) return 0;
  return step > 0 ? (border - bytes) / step + 1 : 1;
}

void copy_piece(CopyPiece piece, const HostBorders& borders, cudaStream_t stream) {
  if (piece.bytes <= 0) return;
  while (piece.count > 0) {
    CopyPiece first = piece;
    first.count =
        std::min({piece.count, rows_before(borders.bytes_to_next(piece.to), piece.bytes, piece.to_step),
                  rows_before(borders.bytes_to_next(piece.from), piece.bytes, piece.from_step)});
    if (first.count > 0) {
      copy_rows(first, stream);
    } else {
      first.count = 1;
      copy_in_parts(first, borders, stream);
    }
    piece.to += first.count * piece.to_step;
    piece.from += first.count * piece.from_step;
    piece.count -= first.count;
  }
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

CudaGpu::CudaGpu(int physical, int kernel_lanes, PollBackoff& backoff, const HostBorders& borders)
    : physical_(physical), backoff_(backoff), borders_(borders) {
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
  for (const CopyPiece& piece : pieces) copy_piece(piece, borders_, stream);
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

/// A stream waits for what the event stands for now; to record it again does not change that
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
