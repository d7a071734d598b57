// SPDX-License-Identifier: BSD-3-Clause
#include "executor/gpu/gpu_device.hpp"

#include <algorithm>
#include <unordered_map>
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

/// C keeps to the other end than what streams, so that holes stay large. Successive loads are one behind the
/// other, as in host memory, so that they can be copied as one.
bool GpuDevice::place(TileRef tile, std::int64_t bytes) {
  const auto offset = arena_.take(bytes, tile.matrix == Matrix::c ? Arena::End::high : Arena::End::low);
  if (!offset) return false;
  places_[tile] = *offset;
  return true;
}

void GpuDevice::release(TileRef tile) {
  arena_.give(places_.extract(tile));
}

void GpuDevice::overwrite_first(TileId c) {
  bool& entry = untouched_c_[{Matrix::c, c}];
  if (!entry) ++untouched_;
  entry = true;
}

bool GpuDevice::first_product(TileId c) {
  if (untouched_ == 0) return false;
  bool* const found = untouched_c_.find({Matrix::c, c});
  if (!found || !*found) return false;
  *found = false;
  --untouched_;
  return true;
}

std::int64_t GpuDevice::compact(Gpus& gpus, std::int64_t wanted) {
  std::unordered_map<std::int64_t, std::int64_t> moved;  // from where to where
  std::vector<CopyPiece> pieces;
  std::int64_t bytes = 0;
  for (const Arena::Move& move : arena_.compact(wanted)) {
    add_pieces(pool_, between_, move, pieces);
    moved.emplace(move.from, move.to);
    bytes += move.bytes;
  }
  places_.for_each([&](std::int64_t& place) {
    if (const auto found = moved.find(place); found != moved.end()) place = found->second;
  });
  gpu_->copy(kPeerLane, pieces);
  for (const std::uint64_t point = gpu_->mark(kPeerLane); gpu_->reached(kPeerLane) < point;) gpus.pause(1e-3);
  return bytes;
}

void GpuDevice::expect(Lane lane, OperationId id, const Task& task, std::span<const TileId> c) {
  UnderWay& entry = under_way_[lane].push_back({gpu_->mark(lane), id, task});
  if (c.empty()) return;
  if (!spare_.empty()) {
    entry.c = std::move(spare_.back());
    spare_.pop_back();
  }
  entry.c.assign(c.begin(), c.end());
}

void GpuDevice::collect(std::vector<OperationId>& ended) {
  for (Lane lane = 0; lane < static_cast<Lane>(under_way_.size()); ++lane) {
    KeptQueue<UnderWay>& waiting = under_way_[lane];
    if (waiting.empty()) continue;
    const std::uint64_t reached = gpu_->reached(lane);
    for (; !waiting.empty() && waiting.front().point <= reached; waiting.pop_front()) {
      UnderWay& done = waiting.front();
      if (lane >= kFirstKernelLane) {
        kernels_.ended(lane, done.c);
        spare_.push_back(std::move(done.c));
      }
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
