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
#include "scheduler/backend.hpp"

namespace foretile {

/// Own tiles of A, and of B where it is given, lie here once, however often they are sent; received ones
/// lie in the messages that brought them. Used by the thread of the progress loop alone.
class HostStore {
 public:
  /// Makes the own tiles that the rank or others use, and with Contraction::reads_c() the initial tiles of C
  /// that the rank computes, times beta, or that it owns where C is computed in parts, on up to `cores`
  /// threads. `memory` holds all tiles and must outlive this; it is called by the calling thread alone.
  HostStore(const Contraction& contraction, const PlanFrame& frame, const RankPlan& plan, Rank rank,
            int cores = 1, std::pmr::memory_resource* memory = heap_memory());

  /// A tile of A, or of B where it is given, that is own or received.
  std::byte* tile(TileRef tile) const { return distributed_.at(tile); }
  /// For tiles that are put here.
  std::pmr::memory_resource* memory() const { return memory_; }

  /// What to send for a broadcast that this rank owns or has received, or for a sum, piece by piece: valid
  /// until `release`, of an own one for good, of a sum until release_parts().
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

  /// Whether devices begin with the initial values of C, which then lie in `c`.
  bool devices_read_c() const { return devices_read_c_; }
  /// Where a tile of C that leaves a device goes: `c`, or the parts that the device computed.
  TileBuffer& home_of_c(TileId tile, Device device);
  /// Where the tiles lie. Those of C itself get their memory now if they have none.
  std::vector<std::byte*> parts(std::span<const TileId> tiles, const PlaceOfC& place);
  void release_parts(std::span<const TileId> tiles, Device computed_by);
  /// The parts become C.
  void keep_parts(std::span<const TileId> tiles, Device computed_by);

  std::unordered_map<TileId, TileBuffer> staged_b;
  std::unordered_map<TileId, TileBuffer> c;  ///< initial tiles until the device has them, then finished ones

 private:
  struct PairHash {
    template <class First, class Second>
    std::size_t operator()(const std::pair<First, Second>& p) const {
      return static_cast<std::size_t>(p.first) * 1000003U + static_cast<std::size_t>(p.second);
    }
  };
  struct Outgoing {
    TileBuffer header;
    Transfer broadcast;
  };
  struct OutgoingSum {
    TileBuffer header;
    std::vector<TileId> tiles;
    Device computed_by = 0;  // which holds the result
  };
  std::vector<std::span<const std::byte>> message(const OutgoingSum& sum) const;
  void add_own(TileRef tile);
  void add_sum(const Sum& sum);
  void add_initial_c(TileId tile);
  void add_used(const PlanFrame& frame, const DevicePlan& device);
  void add_used(const PlanFrame& frame, const Product& product);
  void make_tiles(int cores);

  const Contraction& problem_;
  Rank rank_;
  bool devices_read_c_, c_in_parts_;
  std::pmr::memory_resource* memory_;
  std::vector<ToMake> to_make_;
  std::vector<TileBuffer> own_;
  std::vector<Outgoing> outgoing_;
  std::vector<OutgoingSum> outgoing_sums_;  // by number in RankPlan::sums; without header where the rank owns
  std::unordered_map<std::pair<TileId, Device>, TileBuffer, PairHash> parts_;
  TileTable<std::byte*> distributed_;
  std::unordered_map<std::pair<Rank, int>, std::shared_ptr<MessageBuffer>, PairHash> received_;
};

}  // namespace foretile
