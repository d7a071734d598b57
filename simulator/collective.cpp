// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "platforms/cost/link.hpp"
#include "simulator/engine.hpp"
#include "simulator/machine_links.hpp"

namespace foretile {

namespace {

class CollectiveRun {
 public:
  CollectiveRun(const CollectivePlan& plan, const Machine& machine, std::uint64_t noise_seed)
      : plan_(plan),
        machine_(machine),
        network_(machine.platform.network),
        links_(machine, noise_seed),
        engine_(make_fluid_engine(links_)),
        place_(machine.platform.messages == "device" ? 0 : kHost),
        ranks_(plan.size()) {}

  CollectiveTime run() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) begin_step(static_cast<int>(rank));
    engine_->run([] { return false; });
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
      if (ranks_[rank].step < plan_[rank].size())
        throw WorkError(
            fmt::format("collective: rank {} waits for ever in step {}", rank, ranks_[rank].step));
      time_.seconds = std::max(time_.seconds, ranks_[rank].over_s);
    }
    return time_;
  }

 private:
  struct RankState {
    std::size_t step = 0;
    int open = 0;         // messages of the step, and work behind them
    double free_s = 0;    // when it can start its next message
    double over_s = 0;    // when it ended its last step
    bool worked = false;  // the step's copies and additions have begun
    std::uint64_t events = 0;
  };
  /// One end of a message that waits for the other.
  struct Half {
    double since_s = 0;
    std::int64_t bytes = 0;
  };
  /// From one rank to another. Messages of one kind meet their receives in the order in which both began.
  struct Channel {
    std::deque<Half> sends, receives;  // with rendezvous
    int arrived = 0, awaited = 0;      // without
  };

  const CollectiveStep& step_of(int rank) const {
    const auto number = static_cast<std::size_t>(rank);
    return plan_[number][ranks_[number].step];
  }
  RankState& state(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  EventKey key(int rank) { return {rank, EventKey::Kind::other, state(rank).events++}; }
  bool waits(std::int64_t bytes) const {
    return network_.rendezvous_bytes > 0 && bytes >= network_.rendezvous_bytes;
  }
  Route route(int from, int to) const { return links_.message(Rank::of(from), Rank::of(to), place_, place_); }

  void begin_step(int rank) {
    RankState& s = state(rank);
    if (s.step == plan_[static_cast<std::size_t>(rank)].size()) return;
    const CollectiveStep& step = step_of(rank);
    s.open = static_cast<int>(step.sends.size() + step.receives.size()) + 1;
    s.worked = false;
    for (const CollectiveMessage& message : step.receives) post_receive(rank, message);
    for (const CollectiveMessage& message : step.sends) {
      s.free_s = std::max(s.free_s, engine_->now()) + network_.gap_s;
      engine_->after(s.free_s - engine_->now(), key(rank),
                     [this, rank, message] { post_send(rank, message); });
    }
    part_over(rank);
  }

  /// A message of the rank's step ended, or all were started.
  void part_over(int rank) {
    RankState& s = state(rank);
    if (--s.open > 0) return;
    const double work_s = s.worked ? 0 : local_seconds(step_of(rank));
    if (work_s > 0) {
      s.worked = true;
      s.open = 1;
      engine_->after(work_s, key(rank), [this, rank] { part_over(rank); });
      return;
    }
    s.over_s = engine_->now();
    ++s.step;
    begin_step(rank);
  }

  double local_seconds(const CollectiveStep& step) const {
    const Platform& p = machine_.platform;
    const double copies = p.links.message.bandwidth_bytes_per_s;
    const double adds = p.addition_bytes_per_s_per_core > 0 ? p.addition_bytes_per_s_per_core : copies;
    return over(static_cast<double>(step.copied_bytes), copies) +
           over(static_cast<double>(step.added_bytes), adds);
  }

  void post_send(int from, const CollectiveMessage& message) {
    ++time_.messages;
    time_.bytes += message.bytes;
    if (!waits(message.bytes)) {
      const double copied_s = buffer_seconds(message.bytes);
      state(from).free_s = std::max(state(from).free_s, engine_->now() + copied_s);
      carry(from, message.peer, message.bytes, copied_s);
      engine_->after(copied_s, key(from), [this, from] { part_over(from); });
      return;
    }
    Channel& channel = channels_[{from, message.peer}];
    channel.sends.push_back({engine_->now(), message.bytes});
    match(from, message.peer, channel);
  }

  void post_receive(int to, const CollectiveMessage& message) {
    Channel& channel = channels_[{message.peer, to}];
    if (waits(message.bytes)) {
      channel.receives.push_back({engine_->now(), message.bytes});
      match(message.peer, to, channel);
    } else if (channel.arrived > 0) {
      --channel.arrived;
      take_out(to, message.bytes);
    } else {
      ++channel.awaited;
    }
  }

  /// The notice takes a latency to come, the receiver's request one back: both are between hosts. Then the
  /// bytes take their own.
  void match(int from, int to, Channel& channel) {
    if (channel.sends.empty() || channel.receives.empty()) return;
    const Half send = channel.sends.front(), receive = channel.receives.front();
    channel.sends.pop_front();
    channel.receives.pop_front();
    const double latency_s = links_.message(Rank::of(from), Rank::of(to)).latency_s;
    const double ready_s = std::max(send.since_s + latency_s, receive.since_s) + latency_s;
    carry(from, to, send.bytes, std::max(0.0, ready_s - engine_->now()));
  }

  /// After `wait_s` and the latency.
  void carry(int from, int to, std::int64_t bytes, double wait_s) {
    const Route way = route(from, to);
    engine_->after(wait_s + way.latency_s, key(from), [this, way, from, to, bytes] {
      engine_->transfer(way, static_cast<std::uint64_t>(bytes), key(from),
                        [this, from, to, bytes] { carried(from, to, bytes); });
    });
  }

  void carried(int from, int to, std::int64_t bytes) {
    if (waits(bytes)) {
      part_over(from);
      part_over(to);
      return;
    }
    Channel& channel = channels_[{from, to}];
    if (channel.awaited == 0) {
      ++channel.arrived;
      return;
    }
    --channel.awaited;
    take_out(to, bytes);
  }

  /// Of an eager message's buffer, at either end; GPUs' memory has none.
  double buffer_seconds(std::int64_t bytes) const {
    return place_ == kHost
               ? over(static_cast<double>(bytes), machine_.platform.links.message.bandwidth_bytes_per_s)
               : 0;
  }

  void take_out(int to, std::int64_t bytes) {
    engine_->after(buffer_seconds(bytes), key(to), [this, to] { part_over(to); });
  }

  const CollectivePlan& plan_;
  const Machine& machine_;
  const Network& network_;
  MachineLinks links_;
  std::unique_ptr<Engine> engine_;
  MemoryPlace place_;
  std::vector<RankState> ranks_;
  std::map<std::pair<int, int>, Channel> channels_;
  CollectiveTime time_;
};

}  // namespace

CollectiveTime simulate_collective(const CollectivePlan& plan, const Machine& machine,
                                   std::uint64_t noise_seed) {
  if (std::ssize(plan) > machine.ranks)
    throw input_error("collective", fmt::format("a plan for {} ranks", plan.size()),
                      fmt::format("at most the machine's {}", machine.ranks));
  return CollectiveRun(plan, machine, noise_seed).run();
}

}  // namespace foretile
