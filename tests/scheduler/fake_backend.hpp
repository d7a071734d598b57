// SPDX-License-Identifier: BSD-3-Clause
// Ranks wired together in one process whose operations end in random order; checks every promise of
// scheduler/backend.hpp on the way. Each tile has one number, so that the bits of C show in which order
// things were added.
#pragma once

#include <fmt/format.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "planner/plan/owners.hpp"
#include "scheduler/rank_scheduler.hpp"

namespace foretile {

class FakeCluster;

/// The number of a tile of A, B or the initial C: about 1, and the same everywhere.
double number_of(TileRef tile);

class FakeRank final : public Backend {
 public:
  FakeRank(FakeCluster& cluster, Rank rank);

  double now() const override;
  int kernel_slots(Device device) const override { return kernel_slots_[static_cast<std::size_t>(device)]; }
  int waiting_tasks() const override { return waiting_tasks_; }
  void start_kernel(OperationId id, Device device, std::span<const Product> products) override;
  void start_generate(OperationId id, std::span<const GeneratedPart> tiles) override;
  void start_copy(OperationId id, const Copy& copy) override;
  void start_send(OperationId id, Rank to_rank, const Message& message) override;
  void allocate(Device device, TileRef tile) override;
  void release(Device device, TileRef tile) override;
  void release_host(TileRef tile) override;
  void release_message(Rank owner, int number) override;
  void send_signal(Rank to_rank, Signal signal) override;
  void adopt(Device device, TileRef tile) override;
  void start_combine(OperationId id, const Combine& combine) override;
  void start_task(OperationId id, std::int32_t number, const FlowTask& task, int cores) override;
  void release_step(Step step) override;
  void finished(TileId tile) override { c_here_.insert(tile); }
  void release_parts(std::span<const TileId> tiles, Device computed_by) override;
  void keep_parts(std::span<const TileId> tiles, Device computed_by) override;

  std::unique_ptr<RankScheduler> scheduler;

 private:
  friend class FakeCluster;
  struct Tile {
    std::int64_t bytes = 0;
    bool readable = false;
    int users = 0;  ///< operations in flight that name it
    double number = 0;
  };
  /// Parts of one sum that came in a message.
  struct ReceivedParts {
    std::map<TileId, double> numbers;
    std::int64_t bytes = 0;
  };
  using Key = std::pair<Matrix, TileId>;

  void enter(MemoryPlace device, TileRef tile, bool readable);
  Tile* use(MemoryPlace device, TileRef tile, bool must_be_readable);
  void unuse(MemoryPlace device, TileRef tile);
  DeviceTraits traits(MemoryPlace device) const;
  bool streams(TileRef tile) const;
  std::int64_t made_bytes(const FlowTask& task) const;
  void host_bytes_changed(std::int64_t bytes);
  void message_bytes_changed(Rank owner, int number, std::int64_t bytes);
  void check_tensor_tile(TileId tile);
  double* number_at(const PlaceOfC& place, TileId tile);
  ReceivedParts parts_to_send(const Message& message);
  void arrived(const Message& message, ReceivedParts parts);
  void copy_ended(const Copy& copy);
  static bool from_rank(const Copy& copy);
  MemoryPlace place_of(Key tile) const;
  void begin_part(const GeneratedPart& part, bool alone);
  void end_part(const GeneratedPart& part);
  void staging_left(TileRef tile);
  std::int64_t bytes_of(TileRef tile) const;
  void complain(const std::string& what);

  FakeCluster& cluster_;
  Rank rank_;
  std::vector<int> kernel_slots_;  // of each device
  std::vector<std::map<Key, Tile>> devices_;
  std::vector<std::int64_t> device_bytes_;
  std::vector<int> kernels_;                // in flight
  std::vector<std::array<int, 4>> copies_;  // in flight, per device: from host, to host, from peers, made
  std::map<Key, int> on_host_;          // streaming tiles and initial C: operations in flight that read them
  std::map<Key, MemoryPlace> came_to_;  // of these, with messages on devices
  std::map<std::pair<Rank, int>, std::shared_ptr<const Transfer>> messages_;  // received and not released
  std::map<std::pair<int, int>, int> sends_of_;                               // in flight, per message
  std::int64_t received_bytes_ = 0;                                           // of broadcasts
  std::int64_t host_bytes_ = 0;                                               // of tiles received or made
  std::map<MemoryPlace, std::int64_t> message_bytes_;                         // by device
  std::map<std::pair<TileId, Device>, double> parts_;                         // of own devices
  std::map<std::pair<Rank, int>, ReceivedParts> received_parts_;              // by message
  std::map<TileId, bool> staged_;                                             // B; true when made
  std::map<TileId, std::int64_t> begun_, made_;                               // elements of B, ever
  std::set<TileId> generated_;                                                // B, ever
  std::set<TileId> c_here_;                        // where tiles flow: finished or received
  std::set<std::pair<int, TileId>> tensors_here_;  // of others, for a step
  std::set<std::int32_t> tasks_done_;
  std::int64_t staged_bytes_ = 0;
  int cores_busy_ = 0;
  int waiting_tasks_ = 0;  // at most, for each that runs
  int tasks_running_ = 0, tasks_waiting_ = 0;
  int sends_ = 0;
};

class FakeCluster {
 public:
  FakeCluster(const Plan& plan, const Contraction& problem, const SchedulerOptions& options,
              std::uint64_t seed);

  /// Until nothing is in flight.
  void run();
  const SchedulerOptions& options() const { return options_; }

  std::vector<std::string> complaints;  ///< broken promises; empty is good
  /// Per rank, device and C tile: A and B, in order.
  std::map<std::tuple<int, int, TileId>, std::vector<std::pair<TileId, TileId>>> accumulated;
  std::map<TileId, int> stored;  ///< C tiles or parts of them that left a device, how often
  std::map<TileId, double> c;    ///< their numbers where they are written back
  std::map<std::pair<int, int>, std::int64_t>
      partial_batches;  ///< per rank and device: smaller than a whole one
  std::int64_t peer_copies = 0;
  std::int64_t message_copies = 0;  ///< from where messages came to devices
  /// Of tiles of A, by number: from which device to which.
  std::map<TileId, std::vector<std::pair<MemoryPlace, MemoryPlace>>> a_between_devices;
  std::int64_t released_messages = 0;
  int most_task_cores = 1;                     ///< that shared a task
  std::int64_t most_received_bytes = 0;        ///< of broadcasts, at one time on one rank
  std::int64_t most_host_bytes = 0;            ///< of tiles that it received or made, at one time on one rank
  std::int64_t most_device_message_bytes = 0;  ///< at one time on one device
  std::int64_t released_steps = 0;
  std::int64_t events = 0;
  std::vector<std::unique_ptr<FakeRank>> ranks;

 private:
  friend class FakeRank;
  using Event = std::function<void()>;

  /// Ends after anything from a moment to a thousand times as long.
  void later(Event event, double slowness = 1);

  const Plan& plan_;
  const Contraction& problem_;
  SchedulerOptions options_;
  Random random_;
  std::multimap<double, Event> pending_;
  std::map<std::pair<int, int>, double> last_signal_;  // from one rank to another
  double clock_ = 0;
  double message_slowness_ = 1;  // messages between ranks take as long as other things, or much longer
};

}  // namespace foretile
