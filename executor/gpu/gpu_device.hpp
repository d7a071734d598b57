// SPDX-License-Identifier: BSD-3-Clause
// One logical device as the back end keeps it: where each tile is, and what is under way on its lanes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/kept_queue.hpp"
#include "executor/gpu/gpu.hpp"
#include "executor/gpu/kernel_lanes.hpp"
#include "executor/gpu/task.hpp"
#include "executor/tiles/arena.hpp"
#include "planner/problem/tile_table.hpp"
#include "scheduler/backend.hpp"

namespace foretile {

class GpuDevice {
 public:
  /// Takes `pool_bytes` of the device's memory, and a little to move tiles through.
  GpuDevice(std::unique_ptr<Gpu> gpu, int kernel_lanes, std::int64_t pool_bytes);

  Gpu& gpu() { return *gpu_; }
  KernelLanes& lanes() { return kernels_; }
  int kernel_lanes() const { return static_cast<int>(under_way_.size()) - kFirstKernelLane; }
  std::byte* pool() const { return pool_; }
  std::int64_t pool_bytes() const { return arena_.size(); }

  /// False when no hole is large enough.
  bool place(TileRef tile, std::int64_t bytes);
  void release(TileRef tile);
  std::byte* at(TileRef tile) const { return pool_ + places_.at(tile); }
  bool has_room_in_all(std::int64_t bytes) const { return Arena::rounded(bytes) <= arena_.free_bytes(); }
  /// Slides tiles together until there is a hole of `bytes`, and waits for it. Nothing may be under way that
  /// touches tiles. Returns the bytes moved.
  std::int64_t compact(Gpus& gpus, std::int64_t bytes);

  /// C was placed without numbers: its first product overwrites it.
  void overwrite_first(TileId c);
  /// Whether this product on C is the first; asked once per product.
  bool first_product(TileId c);

  /// The operation ends when all work given to the lane so far has ended. `c`: the tiles of a launch.
  void expect(Lane lane, OperationId id, const Task& task, std::span<const TileId> c = {});
  /// Appends what has ended since the last call.
  void collect(std::vector<OperationId>& ended);
  /// A task that has not ended, the first of its lane; nullptr when there is none.
  const Task* pending() const;
  bool idle() const;

 private:
  struct UnderWay {
    std::uint64_t point = 0;
    OperationId id = 0;
    Task task;
    std::vector<TileId> c = {};
  };
  std::unique_ptr<Gpu> gpu_;
  KernelLanes kernels_;
  Arena arena_;
  std::byte* pool_ = nullptr;
  std::byte* between_ = nullptr;    // through which overlapping moves go
  TileTable<std::int64_t> places_;  // looked up for each operand of a product
  TileTable<bool> untouched_c_;
  std::int64_t untouched_ = 0;                  // entries of it
  std::vector<KeptQueue<UnderWay>> under_way_;  // per lane
  std::vector<std::vector<TileId>> spare_;      // lists of launches that have ended, for their memory
};

}  // namespace foretile
