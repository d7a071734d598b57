// SPDX-License-Identifier: BSD-3-Clause
// Tiles in one rank's host memory.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executor/backends/plan_tasks.hpp"
#include "executor/tiles/heap_memory.hpp"
#include "executor/tiles/message_buffer.hpp"
#include "executor/tiles/tile_buffer.hpp"
#include "executor/tiles/tile_storage.hpp"
#include "planner/plan/plan.hpp"
#include "planner/plan/products.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/problem/generated_part.hpp"
#include "planner/problem/tile_table.hpp"
#include "scheduler/backend.hpp"

namespace foretile {

struct HostStoreOptions {
  int cores = 1;                                      ///< threads that fill tiles, at most
  std::pmr::memory_resource* memory = heap_memory();  ///< of all tiles; must outlive the store, which calls
                                                      ///< it from its own thread alone
  const TileStorage* storage = nullptr;  ///< must outlive the store; nullptr: numbers from the seed
  bool gapless = false;  ///< tiles that a caller keeps with gaps are copied to memory of the store's own
  PlanTasks* tasks = nullptr;  ///< where tiles flow; must outlive the store
};

/// Whether the first part of a sum is computed where C will be, and becomes C as it is.
inline bool parts_become_c(const Contraction& contraction) {
  return !contraction.reads_c() && contraction.alpha == 1.0;
}

/// Own tiles of A, and of B where it is given, are here once, however often they are sent; received ones
/// are in the messages that brought them. Used by the thread of the progress loop alone.
class HostStore {
 public:
  /// Fills the own tiles that the rank or others use, and with Contraction::reads_c() the initial tiles of C
  /// that the rank computes, times beta, or that it owns where C is computed as partial sums, on several
  /// threads.
  HostStore(const Contraction& contraction, const PlanFrame& frame, const RankPlan& plan, Rank rank,
            const HostStoreOptions& options = {});

  /// A tile of A, or of B where it is given, that is own or received.
  TileView tile(TileRef tile) const { return distributed_.at(tile); }
  const Contraction& contraction() const { return problem_; }
  /// For tiles that are put here.
  std::pmr::memory_resource* memory() const { return memory_; }

  /// What to send for a broadcast that this rank owns or has received, or for a sum, piece by piece: valid
  /// until `release`, of an own one for good, of a sum until release_parts().
  std::vector<MessagePiece> message(Rank owner, int number) const;
  /// Keeps a received message and its tiles.
  void keep(std::shared_ptr<MessageBuffer> message);
  /// Frees all received messages, at the end of a run.
  void drop_received() { received_.clear(); }
  /// Frees a received message and its tiles.
  void release(Rank owner, int number);

  /// Memory that waits for a tile's numbers.
  struct ToMake {
    TileRef tile;
    TileView to;
    bool numbers_there = false;
  };
  struct PartToMake {
    GeneratedPart part;
    std::byte* tile;  ///< all of it
  };
  /// Puts tiles of B that are begun into `staged_b`, without numbers; they were not there. Later parts find
  /// theirs there.
  std::vector<PartToMake> stage_b(std::span<const GeneratedPart> parts);

  /// Whether devices begin with the initial values of C, which then are in `c`.
  bool devices_read_c() const { return devices_read_c_; }
  /// Where a tile of C that leaves a device goes: `c`, or the parts that the device computed. It gets its
  /// memory now if it has none.
  TileView place_of_c(TileId tile, Device computed_by);
  /// The tile is written back in memory of its own; only where devices_read_c().
  void keep_c(TileId tile, TileBuffer numbers);
  /// Where the tiles are. Those of C itself get their memory now if they have none.
  std::vector<TileView> parts(std::span<const TileId> tiles, const PlaceOfC& place);
  void release_parts(std::span<const TileId> tiles, Device computed_by);
  /// The parts become C.
  void keep_parts(std::span<const TileId> tiles, Device computed_by);
  /// Writes a part of a tile of B that is generated; from any thread.
  void fill_part(const GeneratedPart& part, std::byte* tile) const;
  /// Where tiles flow: what a worker does for a task that starts now. Takes memory for a tile that it makes,
  /// unless that is in place.
  std::vector<std::function<void()>> task_jobs(const FlowTask& task, int parts);
  /// How a device stores this tile of C, of which it has all, into its place: permuted. Nothing: as it is.
  std::optional<PermutedCopy> permuted_store(TileId tile) const;
  /// How a device loads this tile of A or B, own or received: permuted. Nothing: as it is.
  std::optional<PermutedCopy> permuted_load(TileRef tile) const {
    return tasks_ ? tasks_->permuted_load(tile) : std::nullopt;
  }
  /// Where tiles flow: frees the tiles that tasks made for the step, those of C of the step, and those of
  /// tensors that came for it.
  void release_step(Step step);
  /// After the run: C that is meant to be in a caller's memory is copied there unless it is there already;
  /// other tiles are offered to TileStorage::take().
  void deliver_c();

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
  std::vector<MessagePiece> message(const OutgoingSum& sum) const;
  std::vector<MessagePiece> message(const Outgoing& outgoing) const;
  TileView finished_c(TileId tile) const;
  std::byte* tensor_of(const FlowTask& task) const;
  std::byte* place_of_made(const FlowTask& task, std::byte* in_place);
  std::optional<TileView> in_place(TileRef tile) const;
  TileBuffer new_c(TileId tile);
  bool becomes_c(TileId tile, Device device) const;
  void make_tile(const ToMake& one) const;
  void add_own(TileRef tile);
  void add_sum(const Sum& sum);
  void add_flow(const PlanFrame& frame, const RankPlan& plan);
  void add_initial_c(TileId tile);
  void add_used(const PlanFrame& frame, const DevicePlan& device);
  void add_used(const PlanFrame& frame, const Product& product);
  void make_tiles(int cores);

  const Contraction& problem_;
  Rank rank_;
  bool devices_read_c_, partial_sums_, pooled_;
  bool gapless_;
  std::pmr::memory_resource* memory_;
  SeededTiles seeded_;
  const TileStorage* storage_;
  std::unordered_map<TileId, Device> first_parts_;  // of tiles that the rank owns: the device of their sum
  std::vector<ToMake> to_make_;
  std::vector<TileBuffer> own_;
  std::unordered_map<TileId, TileBuffer> written_a_, written_b_;  // where tiles flow
  std::vector<std::vector<TileRef>> made_for_;                    // by step
  const PlanFrame* flow_ = nullptr;                               // where tiles flow
  PlanTasks* tasks_;
  std::unordered_map<TileId, const FlowTask*> c_in_place_;  // the task by which it becomes a tensor's
  std::unordered_map<std::pair<TileId, int>, std::byte*, PairHash> tensors_;  // that came, and for which step
  std::vector<Outgoing> outgoing_results_;
  std::vector<Outgoing> outgoing_;
  std::vector<OutgoingSum> outgoing_sums_;  // by number in RankPlan::sums; without header where the rank owns
  std::unordered_map<std::pair<TileId, Device>, TileBuffer, PairHash> parts_;
  TileTable<TileView> distributed_;
  std::unordered_map<std::pair<Rank, int>, std::shared_ptr<MessageBuffer>, PairHash> received_;
};

}  // namespace foretile
