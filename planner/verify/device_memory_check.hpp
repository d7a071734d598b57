// SPDX-License-Identifier: BSD-3-Clause
// The most bytes that the control edges let a device hold.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/verify/block_walk.hpp"
#include "planner/verify/pass.hpp"

namespace foretile {

/// While chunk z is worked on, chunks up to z + lookahead may be there, each tile once.
///  - B that stays: windows end with the block; its B and C are beside them. (Stores of the block before may
///    still be under way; then loads wait for them.)
///  - B that streams: windows run across blocks, since inputs of the next one are prefetched (RR-9289 2). C
///    of the block of chunk z is beside them, with `prefetch_c` that of all blocks of the window.
/// One object serves device after device, since it has a counter for every tile.
class DeviceMemoryCheck {
 public:
  DeviceMemoryCheck(const Plan& plan, const Contraction& contraction);

  /// Returns the most bytes; throws InputError when they exceed the device's memory.
  std::int64_t check(const DeviceView& device);

 private:
  struct ChunkTiles {
    std::size_t block;
    std::size_t chunk;  ///< of the block
    const std::vector<TileId>* a;
    const std::vector<TileId>* b;  ///< null where B stays
  };

  bool is_apart(const Block& block, const Block& next) const;
  std::int64_t check_windows(const DeviceView& device, const std::vector<ChunkTiles>& chunks,
                             const std::vector<std::int64_t>& stay_before);
  std::int64_t enter(const ChunkTiles& chunk);
  std::int64_t leave(const ChunkTiles& chunk);
  void require(const DeviceView& device, const ChunkTiles& at, std::int64_t stays,
               std::int64_t streams) const;

  const Plan& plan_;
  const Contraction& p_;
  std::vector<std::int32_t> a_there_;  // chunks of the window with this tile; all 0 between calls
  std::vector<std::int32_t> b_there_;
};

/// Where devices of a rank take each other's blocks (Pool): the largest C of a block of the rank is beside
/// 1 + lookahead of the rank's largest chunks, on the device with the least memory. So whatever device takes
/// whatever block, and in whatever order, each fits.
class PoolMemory {
 public:
  explicit PoolMemory(const Plan& plan) : plan_(&plan) {}

  void add(const DeviceView& device, const Contraction& contraction);
  /// Of all devices of the rank; returns the bytes, throws InputError when a device has less.
  std::int64_t check() const;

 private:
  const Plan* plan_;
  std::string least_;  // the device with the least memory
  std::int64_t memory_ = 0;
  std::int64_t c_ = 0, chunk_ = 0;  // largest
};

}  // namespace foretile
