// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/gpu_device.hpp"

#include <algorithm>
#include <utility>

namespace foretile {

namespace {

constexpr std::int64_t kBetweenBytes = std::int64_t{4} << 20;

/// The pieces of one move. Parts that overlap go through memory between them, piece after piece from the
/// front.
void add_pieces(std::byte* pool, std::byte* between, const Arena::Move& move,
                std::vector<CopyPiece>& pieces) {
  const std::int64_t gap = move.from - move.to;
  const bool direct = gap >= std::min(move.bytes, kBetweenBytes);
  const std::int64_t step = direct ? std::min(gap, move.bytes) : kBetweenBytes;
  for (std::int64_t done = 0; done < move.bytes; done += step) {
    const std::int64_t bytes = std::min(step, move.bytes - done);
    std::byte* const from = pool + move.from + done;
    std::byte* const to = pool + move.to + done;
    if (direct) {
      pieces.push_back({to, from, bytes});
    } else {
      pieces.push_back({between, from, bytes});
      pieces.push_back({to, between, bytes});
    }
  }
}

}  // namespace

GpuDevice::GpuDevice(std::unique_ptr<Gpu> gpu, int kernel_lanes, std::int64_t pool_bytes)
    : gpu_(std::move(gpu)),
      kernels_(kernel_lanes),
      arena_(pool_bytes),
      under_way_(kFirstKernelLane + kernel_lanes) {
  if (arena_.size() == 0) return;
  pool_ = gpu_->allocate(arena_.size());
  between_ = gpu_->allocate(kBetweenBytes);
}

/// C keeps to the other end than what streams, so that holes stay large. Successive loads lie one behind the
/// other, as in host memory, so that they can be copied as one.
bool GpuDevice::place(TileRef tile, std::int64_t bytes) {
  const auto offset = arena_.take(bytes, tile.matrix == Matrix::c ? Arena::End::high : Arena::End::low);
  if (!offset) return false;
  places_.emplace(tile, *offset);
  return true;
}

void GpuDevice::release(TileRef tile) {
  const auto found = places_.find(tile);
  arena_.give(found->second);
  places_.erase(found);
}

std::int64_t GpuDevice::compact(Gpus& gpus, std::int64_t wanted) {
  std::unordered_map<std::int64_t, std::int64_t> moved;
  std::vector<CopyPiece> pieces;
  std::int64_t bytes = 0;
  for (const Arena::Move& move : arena_.compact(wanted)) {
    add_pieces(pool_, between_, move, pieces);
    moved.emplace(move.from, move.to);
    bytes += move.bytes;
  }
  for (auto& [tile, offset] : places_) {
    if (const auto found = moved.find(offset); found != moved.end()) offset = found->second;
  }
  gpu_->copy(kPeerLane, pieces);
  for (const std::uint64_t point = gpu_->mark(kPeerLane); gpu_->reached(kPeerLane) < point;) gpus.pause(1e-3);
  return bytes;
}

void GpuDevice::expect(Lane lane, OperationId id, Task task, std::vector<TileId> c) {
  under_way_[lane].push_back({gpu_->mark(lane), id, task, std::move(c)});
}

void GpuDevice::collect(std::vector<OperationId>& ended) {
  for (Lane lane = 0; lane < static_cast<Lane>(under_way_.size()); ++lane) {
    std::deque<UnderWay>& waiting = under_way_[lane];
    if (waiting.empty()) continue;
    const std::uint64_t reached = gpu_->reached(lane);
    for (; !waiting.empty() && waiting.front().point <= reached; waiting.pop_front()) {
      const UnderWay& done = waiting.front();
      if (lane >= kFirstKernelLane) kernels_.ended(lane, done.c);
      ended.push_back(done.id);
    }
  }
}

const Task* GpuDevice::pending() const {
  const UnderWay* first = nullptr;
  for (const auto& lane : under_way_) {
    if (!lane.empty() && !first) first = &lane.front();
  }
  return first ? &first->task : nullptr;
}

bool GpuDevice::idle() const {
  return std::all_of(under_way_.begin(), under_way_.end(), [](const auto& lane) { return lane.empty(); });
}

}  // namespace foretile
