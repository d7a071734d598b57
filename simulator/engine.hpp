// SPDX-License-Identifier: BSD-3-Clause
// Time, and what operations share while it passes.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <tuple>
#include <vector>

#include "base/id.hpp"
#include "simulator/machine_links.hpp"

namespace foretile {

/// Order among what ends at one instant.
struct EventKey {
  std::int32_t rank = 0;
  enum class Kind : std::uint8_t { operation, other, signal } kind = Kind::operation;
  std::uint64_t number = 0;

  friend bool operator<(const EventKey& x, const EventKey& y) {
    return std::tie(x.rank, x.kind, x.number) < std::tie(y.rank, y.kind, y.number);
  }
};

/// What ends within a nanosecond ends at one instant, and is reported in the order of the keys, whatever
/// engine it is: runs of both engines differ by rounding alone, which shared links may make grow
/// (docs/results/engines.md). Work that starts then and ends at once belongs to the same instant, but is
/// notified after the first.
class Engine {
 public:
  using Event = std::function<void()>;

  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  virtual double now() const = 0;
  /// `then` when that much time has passed: needs no solver.
  void after(double seconds, EventKey key, Event then);
  /// `then` when the bytes have passed all links of the route, without its latency.
  virtual void transfer(const Route& route, std::uint64_t bytes, EventKey key, Event then) = 0;
  /// `then` when so many seconds of one core have been spent, at most `most_cores` cores at a time, of those
  /// of the rank's node.
  virtual void execute(Rank rank, double seconds, double most_cores, EventKey key, Event then) = 0;
  /// Until nothing is left, or `stop` is true after an instant.
  virtual void run(const std::function<bool()>& stop) = 0;

 protected:
  static constexpr double kInstant_s = 1e-9;

  Engine() = default;
  void ended(EventKey key, Event then) { due_.push_back({key, std::move(then)}); }
  /// Timers of this instant join what ended; then all are reported.
  void notify();
  /// When the next timer is over.
  double next_timer_s() const;
  /// A timer was set; it may be the first one.
  virtual void timer_set(double) {}

 private:
  struct Due {
    EventKey key;
    Event then;
  };
  struct Timer {
    double at_s;
    std::uint64_t number;  // of timers so far
    std::uint32_t slot;    // of waiting_, so that a heap moves little
  };
  std::uint32_t waiting_slot(Due due);
  static bool later(const Timer& x, const Timer& y) {
    return x.at_s != y.at_s ? x.at_s > y.at_s : x.number > y.number;
  }

  std::vector<Timer> timers_;  // a heap, the earliest first
  std::vector<Due> waiting_;
  std::vector<std::uint32_t> free_slots_;
  std::uint64_t timers_set_ = 0;
  std::vector<Due> due_, notified_;
};

/// `links` must outlive it. `reach` is that of its solver (simulator/fluid_solver.hpp); 0: everywhere.
std::unique_ptr<Engine> make_fluid_engine(const MachineLinks& links, int reach = 0);

}  // namespace foretile
