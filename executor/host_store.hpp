// Tiles in one rank's host memory.
#pragma once

#include <cstddef>
#include <memory>
#include <memory_resource>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executor/heap_memory.hpp"
#include "executor/message_buffer.hpp"
#include "executor/tile_buffer.hpp"
#include "planner/plan/plan.hpp"
#include "planner/plan/products.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/problem/made_part.hpp"
#include "planner/problem/tile_table.hpp"

namespace foretile {

/// Own tiles of A, and of B where it is given, lie here once, however often they are sent; received ones
/// lie in the messages that brought them. Used by the thread of the progress loop alone.
class HostStore {
 public:
  /// Makes the own tiles that the rank or others use, and with Contraction::reads_c() the initial tiles of C
  /// that the rank computes, on up to `cores` threads. `memory` holds all tiles and must outlive this; it is
  /// called by the calling thread alone.
  HostStore(const Contraction& contraction, const PlanFrame& frame, const RankPlan& plan, Rank rank,
            int cores = 1, std::pmr::memory_resource* memory = heap_memory());

  /// A tile of A, or of B where it is given, that is own or received.
  std::byte* tile(TileRef tile) const { return distributed_.at(tile); }
  /// For tiles that are put here.
  std::pmr::memory_resource* memory() const { return memory_; }

  /// What to send for a broadcast that this rank owns or has received, piece by piece: valid until
  /// `release`, of an own one for good.
  std::vector<std::span<const std::byte>> message(Rank owner, int number) const;
  /// Keeps a received message and its tiles.
  void keep(std::shared_ptr<MessageBuffer> message);
  /// Frees a received message and its tiles.
  void release(Rank owner, int number);

  /// Memory that waits for a tile's numbers.
  struct ToMake {
    TileRef tile;
    std::byte* to;
  };
  struct PartToMake {
    MadePart part;
    std::byte* tile;  ///< all of it
  };
  /// Puts tiles of B that are begun into `staged_b`, without numbers; they were not there. Later parts find
  /// theirs there.
  std::vector<PartToMake> stage_b(std::span<const MadePart> parts);

  std::unordered_map<TileId, TileBuffer> staged_b;
  std::unordered_map<TileId, TileBuffer> c;  ///< initial tiles until the device has them, then finished ones

 private:
  struct PairHash {
    std::size_t operator()(const std::pair<Rank, int>& p) const {
      return static_cast<std::size_t>(p.first) * 1000003U + static_cast<std::size_t>(p.second);
    }
  };
  struct Outgoing {
    TileBuffer header;
    Transfer broadcast;
  };
  void add_own(TileRef tile);
  void add_used(const PlanFrame& frame, const DevicePlan& device);
  void add_used(const PlanFrame& frame, const Product& product);
  void make_tiles(int cores);

  const Contraction& problem_;
  Rank rank_;
  std::pmr::memory_resource* memory_;
  std::vector<ToMake> to_make_;
  std::vector<TileBuffer> own_;
  std::vector<Outgoing> outgoing_;
  TileTable<std::byte*> distributed_;
  std::unordered_map<std::pair<Rank, int>, std::shared_ptr<MessageBuffer>, PairHash> received_;
};

}  // namespace foretile
