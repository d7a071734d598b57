// SPDX-License-Identifier: BSD-3-Clause
// The narrow interface between the scheduler of one rank and what carries out its decisions: a simulated
// machine or a real one.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/id.hpp"
#include "planner/plan/landing.hpp"
#include "planner/plan/plan.hpp"
#include "planner/plan/products.hpp"
#include "planner/problem/generated_part.hpp"
#include "planner/problem/tile_ref.hpp"
#include "scheduler/path.hpp"

namespace foretile {

/// A memory of the rank: a device's number, or the host.
using MemoryPlace = int;
inline constexpr MemoryPlace kHost = -1;
/// Where tiles of B come from that their device makes itself.
inline constexpr MemoryPlace kGenerated = -2;
/// Memory of a device that is kept for messages (planner/plan/landing.hpp), apart from what it works on.
constexpr MemoryPlace messages_on(Device device) {
  return kGenerated - 1 - device;
}
/// The device whose memory for messages this is; none otherwise.
constexpr std::optional<Device> device_of_messages(MemoryPlace place) {
  return place < kGenerated ? std::optional(Device::of(kGenerated - 1 - place)) : std::nullopt;
}

/// Where a rank with so many devices receives a message of broadcast number `number` of its owner's, and
/// forwards it from.
inline MemoryPlace place_received(std::size_t devices, Rank owner, int number) {
  return messages_on(landing_device(owner, number, devices));
}

/// Neighbouring loads or stores that travel as one; from kGenerated: that are made together.
struct Copy {
  MemoryPlace from = kHost;
  MemoryPlace to = kHost;
  std::vector<TileRef> tiles;
  std::int64_t bytes = 0;
};

/// A broadcast on its way to one rank, which forwards it along its tree (planner/plan/transfer.hpp). Or parts
/// of C on their way to the next rank of a sum, or a tile of C to ranks whose tasks read it.
struct Message {
  std::shared_ptr<const Transfer> transfer;
  Rank owner = 0;    ///< of parts: who sends them
  int number = 0;    ///< of the broadcast among its owner's; sums are numbered behind them, then results
  int position = 0;  ///< of the receiver in the tree
  std::int64_t bytes = 0;
};

/// A signal of the global barriers on its way along the tree of ranks (scheduler/barrier.hpp).
struct Signal {
  Rank from_rank = 0;
  Step step = 0;      ///< first that is not over
  bool down = false;  ///< on all ranks; else on the sender and those below it
  Path path;          ///< of the sender until it was sent, and at the receiver until it came
};

/// Where tiles of C are in a rank's host memory.
struct PlaceOfC {
  enum class Kind : std::uint8_t {
    c,       ///< C itself: initial or finished
    device,  ///< parts that a device of the rank has computed
    message  ///< parts that came in a message
  };
  Kind kind = Kind::c;
  Device device = 0;  ///< Kind::device
  Rank sender = 0;    ///< Kind::message: Message::owner
  int number = 0;     ///< Kind::message: Message::number
};

/// to = beta to + factor from, tile by tile. With beta = 0 what is in `to` is not read, and `to` may not be
/// there yet.
struct Combine {
  std::span<const TileId> tiles;  ///< of C
  PlaceOfC to, from;
  std::complex<double> beta = 1, factor = 1;  ///< real where the elements are
};

using OperationId = std::uint32_t;

/// Every start_* returns at once; the back end later calls RankScheduler::done(id, time) exactly once, never
/// from inside start_*. Tiles named in an operation stay where they are until it is done.
class Backend {
 public:
  virtual ~Backend() = default;

  /// Seconds since the start of the run.
  virtual double now() const = 0;
  /// Kernels that may be in flight on one device. Those of a device that is a core run one after the other.
  virtual int kernel_slots(Device device) const = 0;
  /// Small tasks of a flow that may wait at each core that works on tasks, so that it finds the next one
  /// without the progress loop. A model whose loop takes no time needs none.
  virtual int waiting_tasks() const { return 0; }

  /// C_ij += A_ik B_kj on a device, several products in one launch. Products of one device on the same C tile
  /// must take effect in this order. `products` is valid during the call only.
  virtual void start_kernel(OperationId id, Device device, std::span<const Product> products) = 0;
  /// Makes whole tiles of B in host memory on one core, or one part of one: then the part that begins the
  /// tile is started first, and the tile is there when all are done. `parts` is valid during the call only.
  virtual void start_generate(OperationId id, std::span<const GeneratedPart> parts) = 0;
  /// To the host: C itself, or with PlanFrame::partial_sums the device's parts of it, which from then on are
  /// those of PlanFrame::parts_of(device).
  virtual void start_copy(OperationId id, const Copy& copy) = 0;
  /// On one core, in host memory. `combine` is valid until it is done.
  virtual void start_combine(OperationId id, const Combine& combine) = 0;
  /// A task of a flow (planner/plan/flow.hpp), on so many cores. `task` is number
  /// `number` of the rank's.
  virtual void start_task(OperationId id, std::int32_t number, const FlowTask& task, int cores) = 0;
  /// Sends to another rank; its back end calls RankScheduler::received there. Done when the tiles were read.
  virtual void start_send(OperationId id, Rank to_rank, const Message& message) = 0;
  /// Its back end calls RankScheduler::signalled there. Nothing is reported here.
  virtual void send_signal(Rank to_rank, Signal signal) = 0;

  /// Space for a tile on a device; C is zeroed unless devices_read_c(), where a copy follows.
  virtual void allocate(Device device, TileRef tile) = 0;
  virtual void release(Device device, TileRef tile) = 0;
  /// A generated tile left the staging area.
  virtual void release_host(TileRef tile) = 0;
  /// A received message's tiles are no longer used here, and it was forwarded to all.
  virtual void release_message(Rank owner, int number) = 0;
  /// The device works on the host's tile in place, instead of allocate and copy; a generated tile of B leaves
  /// the staging area for the device, an initial tile of C the host. Only where DeviceTraits::in_host_memory.
  virtual void adopt(Device device, TileRef tile) = 0;
  /// Parts that were added or sent are no longer needed. Of a message: release_message() says so.
  virtual void release_parts(std::span<const TileId> tiles, Device computed_by) = 0;
  /// The parts are C from now on.
  virtual void keep_parts(std::span<const TileId> tiles, Device computed_by) = 0;
  /// Where tiles flow: the step is over on this rank. Tiles that it made for it, tiles of C of the step, its
  /// own and received ones, and tiles of tensors that came for it are no longer needed.
  virtual void release_step(Step step) = 0;
  /// The tile of C has its final values and is in the rank's host memory, where it stays; where tiles flow,
  /// until its step is over.
  virtual void finished(TileId /*tile*/) {}
};

}  // namespace foretile
