// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// What is done where and in which order: plain data that knows no MPI, no CUDA and no SimGrid.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/id.hpp"
#include "base/settings.hpp"
#include "planner/plan/distribution.hpp"
#include "planner/plan/flow.hpp"
#include "planner/plan/grid.hpp"
#include "planner/plan/sum.hpp"
#include "planner/plan/transfer.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/problem/shape.hpp"
#include "planner/problem/tile_ref.hpp"
#include "platforms/device_model.hpp"

namespace foretile {

/// Tiles of A, and of B where it streams, that pass through a device beside its block (RR-9365 3.2.3, RR-9289
/// 2). The products of a chunk are implied: for each A_ik in order, for each column j of the block in order,
/// B_kj nonzero and C_ij kept.
struct Chunk {
  std::vector<TileId> a;  ///< tiles of A, in the order of their loads
  Step step = 0;          ///< which barrier ends it, or of PlanFrame::steps; increasing along a device
};

/// Columns of C, and of B where it stays, that stay on a device while the block is worked on (RR-9365
/// 3.2.2, RR-9289 2). The rows of C follow from the tiles of A.
struct Block {
  std::vector<std::int32_t> columns;  ///< increasing
  std::vector<Chunk> chunks;          ///< in the order of the work
};

/// Devices of a plan that are alike.
struct DeviceClass {
  DeviceKind kind = DeviceKind::gpu;  ///< GPU or core
  std::int64_t memory_bytes = 0;      ///< that a device may use
  int cores = 1;               ///< that share each product of a device (platforms/cost/team.hpp); of GPUs 1
  bool shares_memory = false;  ///< GPUs whose memory is the host's

  /// Whether nothing is copied to such devices: cores, and GPUs that share the host's memory.
  bool in_host_memory() const { return kind == DeviceKind::core || shares_memory; }
};

/// Work of one device.
struct DevicePlan {
  std::vector<Block> blocks;  ///< in the order of the work
  int device_class = 0;       ///< of PlanFrame::device_classes
};

/// Work and messages of one rank.
struct RankPlan {
  std::vector<DevicePlan> devices;  ///< by number
  std::vector<Transfer> transfers;  ///< of tiles that this rank owns, in sending order
  std::vector<Sum> sums = {};  ///< with PlanFrame::partial_sums: of all tiles that it has a part of, or owns
  RankFlow flow = {};          ///< with PlanFrame::steps
};

/// Chunk `chunk` of block `block`; -1 as chunk stands for the end of the block.
struct ChunkPlace {
  Rank rank = 0;      ///< the rank of the plan
  Device device = 0;  ///< the device of that rank
  int block = 0;      ///< the block of that device, from 0
  int chunk = 0;      ///< the chunk of that block, from 0; -1: the end of the block
};

/// How long the tiles of an operand are on a device.
enum class OnDevice : std::uint8_t {
  stays,   ///< beside the block that is worked on (RR-9365 3.2.2)
  streams  ///< loaded with a chunk and dropped behind it (RR-9365 3.2.3, RR-9289 2)
};

/// What a plan does with one of A, B and C.
struct OperandPlan {
  Source source = Source::given;           ///< where its tiles come from
  OnDevice on_device = OnDevice::streams;  ///< how long they are on a device
  Distribution distribution =
      {};  ///< of given tiles of A or B, which are sent from there; of C from partial sums
  /// Whether tiles, by number, are in memory that their owner has whatever is planned, so that the plan needs
  /// none for them; empty: none are. Where tiles flow that is the tile of a tensor, which GPUs permute when
  /// they load a tile of A or B, or store one of C, which becomes it.
  std::vector<bool> in_place = {};

  bool generated() const { return comes_where_used(source); }  ///< or read, by the ranks that use it
  /// Whether it is loaded with each chunk.
  bool streams() const { return on_device == OnDevice::streams; }
  /// Whether the owner has this tile without memory of the plan.
  bool is_in_place(TileId tile) const {
    return !in_place.empty() && in_place[static_cast<std::size_t>(tile)];
  }
  /// All members are equal.
  friend bool operator==(const OperandPlan&, const OperandPlan&) = default;
};

/// What the plan does with A, B and C.
struct Operands {
  OperandPlan a = {},                                ///< A
      b = {};                                        ///< B
  OperandPlan c = {Source::given, OnDevice::stays};  ///< C

  /// The operand of this matrix; C for Matrix::t.
  const OperandPlan& of(Matrix matrix) const { return matrix == Matrix::a ? a : matrix == Matrix::b ? b : c; }
  /// The same, to change it.
  OperandPlan& of(Matrix matrix) { return matrix == Matrix::a ? a : matrix == Matrix::b ? b : c; }
};

/// Made where it is used, at most once by a rank, and kept beside the block (B in RR-9365).
inline constexpr OperandPlan kGeneratedAndStays{Source::generated, OnDevice::stays};
/// The same of a B that is in a file.
inline constexpr OperandPlan kReadAndStays{Source::in_file, OnDevice::stays};
/// The OperandPlan of a B that is generated or read and stays.
constexpr const OperandPlan& stays_as(Source source) {
  return source == Source::in_file ? kReadAndStays : kGeneratedAndStays;
}

/// Control edges at the end of each step: what belongs to step s is loaded when step s - 1 - lookahead is
/// over (RR-9289 2), on
enum class Barriers : std::uint8_t {
  none,   ///< the device itself
  local,  ///< all devices of the rank
  global  ///< all ranks; broadcasts too are held back
};

/// When a finished tile of C leaves its device.
enum class Store : std::uint8_t {
  at_end,  ///< of its products
  lru  ///< oldest first, when the device needs room and holds no other tile that is in no use (PaRSEC's rule)
};

/// Who works on the blocks that a plan lists under a device.
enum class Pool : std::uint8_t {
  none,  ///< this device
  open,  ///< this device first; another of the rank that has none left takes what would wait for long
  taken  ///< this device, which has taken them from an open pool in an earlier run
         ///< (planner/plan/assignment.hpp)
};

/// What to change when a plan does not fit, in the words of its strategy: the ends of errors.
struct Advice {
  /// Where a block or a chunk is too large.
  std::string device_memory = "plan with smaller chunks and blocks";
  std::string host_memory = "use more ranks";  ///< where a rank has too many tiles
  /// Where a generated tile does not fit.
  std::string larger_staging = "plan with more room for generated tiles";
  /// Where generated tiles leave no room for others.
  std::string smaller_staging = "plan with less room for generated tiles";
  std::string smaller_ranks =
      "platform.device.memory";  ///< parameters whose lower values make ranks need less
};

/// What all ranks know of a plan.
struct PlanFrame {
  std::string strategy;                         ///< name of the strategy that planned
  Settings parameters;                          ///< every parameter with the value used
  Advice advice;                                ///< how to make it fit
  ProcessGrid grid;                             ///< arrangement of the ranks
  int lookahead = 1;                            ///< chunks, and steps, loaded ahead of the one worked on
  std::vector<DeviceClass> device_classes{{}};  ///< at least one
  std::int64_t host_budget_bytes = 0;           ///< per rank
  std::int64_t staging_bytes = 0;               ///< of host_budget: generated tiles not yet on a device
  std::int64_t copy_batch_bytes = 0;  ///< neighbouring loads are joined to copies of about this size
  int batch = 1;      ///< products of a chunk that go out in one launch, counted from its first
  Operands operands;  ///< what it does with A, B and C
  Barriers barriers = Barriers::none;  ///< how far devices and ranks wait for each other
  int sends_in_flight = 4;             ///< that a rank sends
  /// Of each device, beside DeviceClass::memory_bytes: room for broadcasts that come to it from other ranks
  /// (planner/plan/landing.hpp). 0: they come to host memory.
  std::int64_t device_message_bytes = 0;
  Store store = Store::at_end;  ///< when C leaves a device
  bool prefetch_c = false;      ///< where B streams: C of the next block enters with its first loads, before
                                ///< the last block has left
  /// Several devices and ranks may compute parts of a tile of C, apart from its initial values and from each
  /// other; RankPlan::sums bring them together. Else one device computes all of a tile.
  bool partial_sums = false;
  Tree sum_tree = Tree::chain;  ///< how the parts of a rank's own devices are added
  /// Else than none only with parts of C, a B that streams, and no barriers: then no other rank notices who
  /// works on a block. Parts of C, of which a rank computes one of each tile, all count as device 0's.
  Pool pool = Pool::none;
  /// Where products depend on each other: of each step the first tile of C, not decreasing, the first one 0.
  /// Then all tiles of A and B are made by tasks (RankPlan::flow), and those of a step depend on tiles of C
  /// of earlier steps at most. A device takes a block of a later step than the first one when all its tiles
  /// are on the rank; of those the first. Only without barriers and pools.
  std::vector<TileId> steps = {};
  /// Of each step, not decreasing: no tile is made for it before all earlier ones than this are over on all
  /// ranks, their products, tasks and messages, so that their tiles have left.
  std::vector<Step> open_from = {};
  PlanTensors tensors = {};  ///< of which tasks make all tiles of A and B

  /// Whether ranks receive broadcasts in memory of their devices.
  bool messages_on_devices() const { return device_message_bytes > 0; }
  /// Whether products depend on each other.
  bool flows() const { return !steps.empty(); }
  /// The step of a tile of C; only where flows().
  Step step_of(TileId c) const {
    return Step::of(std::upper_bound(steps.begin(), steps.end(), c) - steps.begin() - 1);
  }

  /// `device` must be of one of the classes.
  const DeviceClass& class_of(const DevicePlan& device) const {
    return device_classes[static_cast<std::size_t>(device.device_class)];
  }
  /// Bytes that this device may use.
  std::int64_t memory_of(const DevicePlan& device) const { return class_of(device).memory_bytes; }
  /// Under which device of Sum::devices the parts of C stand that `device` computes.
  Device parts_of(Device device) const { return pool == Pool::none ? device : Device(0); }
};

/// Whether devices begin with the initial values of C. (Parts are added to those at the owner.)
inline bool devices_read_c(const PlanFrame& frame, const Contraction& contraction) {
  return contraction.reads_c() && !frame.partial_sums;
}

/// Of the products: parts of C are multiplied by alpha when they become C.
inline ProductForm product_form(const PlanFrame& frame, const Contraction& contraction) {
  ProductForm form = contraction.product_form();
  if (frame.partial_sums) form.alpha = 1;
  return form;
}

/// Work of all ranks.
struct Plan : PlanFrame {
  std::vector<RankPlan> ranks;  ///< by rank, PlanFrame::grid.size() of them
};

}  // namespace foretile
