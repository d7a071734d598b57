// SPDX-License-Identifier: BSD-3-Clause
// What a device has to do at least, block by block.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/progress.hpp"
#include "planner/plan/plan.hpp"
#include "planner/plan/products.hpp"
#include "planner/plan/tile_origins.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/cost/generation.hpp"
#include "platforms/cost/product.hpp"

namespace foretile {

/// Least times of a chunk. The manager of a device starts its copies one after the other; those of a chunk
/// are counted where the device cannot have the tile yet.
struct ChunkNeeds {
  double products_s = 0;
  double shortest_s = 0;  ///< of its products, which may be all that is left when a message arrives
  double manager_s = 0;
};

struct BlockNeeds {
  bool gpu = false;  ///< of its device
  std::vector<ChunkNeeds> chunks;
  double load_manager_s = 0;  ///< of its loads: initial C, tiles that the device cannot have, or no longer
  double store_manager_s = 0;
  double first_load_s = 0;     ///< from the block's begin until its first product may start
  double last_store_s = 0;     ///< from the end of its last product until that tile of C is written back
  double host_bytes = 0;       ///< to be copied that only the host has: B that stays, initial C
  double loaded_bytes = 0;     ///< these, and tiles that another device may have, too
  double stored_bytes = 0;     ///< C, to be copied
  double generated_bytes = 0;  ///< tiles of B, wherever they are made
  double generation_s = 0;     ///< of B's tile of its first product, on a core
};

/// Of a rank's devices together: tiles that must come from the host to one of them at least.
struct HostNeeds {
  double blocked_s =
      0;  ///< for which their copies from unpinned memory keep a manager, unless BlockNeeds have it
  double bytes = 0;
};

/// Walks through the devices, rank after rank.
class NeedsCounter {
 public:
  /// References must outlive this object. `progress` gets how many products were seen.
  NeedsCounter(const Plan& plan, const Contraction& contraction, const Machine& machine,
               const CountFunction& progress);

  std::vector<BlockNeeds> blocks(Rank rank, const DevicePlan& device);
  /// Of the rank whose devices were walked through last.
  HostNeeds host() { return std::exchange(host_, {}); }

 private:
  /// When a tile was used last; numbers count devices, ranks and blocks from 1.
  struct Use {
    std::int32_t device = 0, rank = 0, block = 0;
  };

  BlockNeeds block(const Block& block);
  void first_of(TileId b, BlockNeeds& needs) const;
  void product(const Product& product, BlockNeeds& needs, ChunkNeeds& chunk);
  void load_kept(TileRef tile, BlockNeeds& needs, ChunkNeeds& chunk);
  void load_stream(TileRef tile, BlockNeeds& needs, ChunkNeeds& chunk);
  void load_from_host(std::int64_t bytes, BlockNeeds& needs);
  void use_c(TileId c, BlockNeeds& needs);
  void reload(BlockNeeds& needs, std::int64_t room_bytes);
  double manager_s(TileRef tile, std::int64_t bytes) const;

  const Plan& plan_;
  const Contraction& p_;
  const Machine& machine_;
  const CountFunction& progress_;
  GenerationTimes generation_;
  std::vector<LeastTimes> of_class_;
  const LeastTimes* least_;  // of the device at hand
  TileOrigins origins_;
  bool gpu_, made_here_;  // the device at hand
  bool alone_;            // of the GPUs of its rank
  std::vector<Use> a_, b_, c_;
  std::vector<std::int64_t> again_;  // bytes of tiles of the block at hand that the device has had
  std::int64_t c_bytes_ = 0;         // of the block at hand
  std::int64_t seen_ = 0;
  Rank rank_ = 0;
  std::int64_t memory_ = 0;
  std::int32_t device_number_ = 0, block_number_ = 0;
  HostNeeds host_;
};

}  // namespace foretile
