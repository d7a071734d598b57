// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/tamm_order.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <utility>

#include "platforms/cost/addition.hpp"
#include "platforms/cost/link.hpp"
#include "platforms/cost/message.hpp"
#include "simulator/node_queue.hpp"
#include "simulator/tamm_work.hpp"

namespace foretile {

namespace {

/// Steps [begin, end) of a term, all blocks of its result one after the other: a rank's part.
struct TammPart {
  int rank = 0;
  std::size_t term = 0;  ///< its place in the level
  std::int64_t begin = 0, end = 0;
};

/// A rank on its way through its parts of a level.
struct TammRank {
  std::size_t part = 0, end = 0;  ///< of the level's parts
  std::int64_t step = 0;
  std::size_t fetch = 0;   ///< of the step
  std::size_t inner = 0;   ///< of the fetch
  double part_begin_s = 0;
};

/// When a rank goes on.
using Event = std::pair<double, int>;

class Tamm {
 public:
  /// `bounds`: ranks do not wait for each other's gets, and a level takes as long as the rank or the process
  /// with most work: never longer than the simulation.
  Tamm(const TammWork& work, const Machine& machine, const TammOptions& options, bool bounds = false)
      : work_(work),
        machine_(machine),
        options_(options),
        bounds_(bounds),
        ranks_(machine.devices()),
        per_node_(machine.ranks_per_node * machine.devices_per_rank),
        servers_(machine.nodes()) {}

  TammResult run() {
    std::vector<TammTermWork> terms;
    for (int level = 1; level <= work_.levels() && result_.ended; ++level) {
      for (TammTermWork& term : work_.of_level(level)) terms.push_back(std::move(term));
      if (!options_.levels && level < work_.levels()) continue;
      run_level(terms);
      terms.clear();
    }
    if (options_.update) update();
    result_.server_s = servers_.busy_s();
    std::ranges::sort(result_.terms, std::greater<>(), &TammResult::TammTerm::longest_s);
    return std::move(result_);
  }

 private:
  int node_of(int rank) const { return rank / per_node_; }

  /// In the order of ranks, each rank's in the order of terms.
  std::vector<TammPart> parts_of(const std::vector<TammTermWork>& terms) const {
    std::vector<TammPart> parts;
    for (std::size_t t = 0; t < terms.size(); ++t) {
      const BlockLine& line = work_.line(terms[t].tensor);
      if (!options_.blocks) {
        const std::int64_t steps = line.blocks() * terms[t].sums;
        for (std::int64_t rank = 0; rank < ranks_; ++rank)
          add({static_cast<int>(rank), t, steps * rank / ranks_, steps * (rank + 1) / ranks_}, parts);
        continue;
      }
      for (std::int64_t block = 0; block < line.blocks(); ++block)
        add({line.rank_of(block), t, block * terms[t].sums, (block + 1) * terms[t].sums}, parts);
    }
    std::ranges::stable_sort(parts, {}, &TammPart::rank);
    return parts;
  }

  /// Joins neighbours.
  static void add(const TammPart& part, std::vector<TammPart>& parts) {
    if (part.begin == part.end) return;
    if (!parts.empty() && parts.back().rank == part.rank && parts.back().term == part.term) {
      parts.back().end = part.end;
    } else {
      parts.push_back(part);
    }
  }

  void run_level(const std::vector<TammTermWork>& terms) {
    const double begin = result_.makespan_s;
    terms_ = &terms;
    parts_ = parts_of(terms);
    reports_.assign(terms.size(), {});
    loads_.assign(static_cast<std::size_t>(machine_.nodes()), 0);
    std::vector<TammRank> states(static_cast<std::size_t>(ranks_));
    std::vector<Event> ready;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      TammRank& state = states[static_cast<std::size_t>(parts_[p].rank)];
      if (state.end == 0) {
        state = {.part = p, .step = parts_[p].begin, .part_begin_s = begin};
        ready.emplace_back(begin, parts_[p].rank);
      }
      state.end = p + 1;
    }
    double last = begin, ends = begin * (ranks_ - static_cast<double>(ready.size()));
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events(std::greater<>(), std::move(ready));
    while (!events.empty()) {
      const auto [now, rank] = events.top();
      TammRank& state = states[static_cast<std::size_t>(rank)];
      events.pop();
      if (now > options_.limit_s) {
        result_.ended = false;
        return;
      }
      const double then = alone() ? end_part_alone(rank, state, now) : go_on(rank, state, now);
      if (state.part < state.end) {
        events.emplace(then, rank);
      } else {
        last = std::max(last, then);
        ends += then;
      }
    }
    last = std::max(last, begin + std::ranges::max(loads_));
    result_.idle_s += last * ranks_ - ends;
    result_.level_s.push_back(last - begin);
    result_.makespan_s = last;
    for (std::size_t t = 0; t < terms.size(); ++t) {
      reports_[t].number = terms[t].number;
      result_.terms.push_back(reports_[t]);
    }
  }

  /// Whether no rank waits for another one within a level: then all steps of a part are alike.
  bool alone() const { return bounds_ || (!options_.trace && (!options_.server || !options_.waiting)); }

  double end_part_alone(int rank, TammRank& state, double now) {
    const TammPart& part = parts_[state.part];
    const TammTermWork& term = (*terms_)[part.term];
    const auto steps = static_cast<double>(part.end - part.begin);
    const std::int64_t first = part.begin / term.sums, behind = (part.end - 1) / term.sums + 1;
    double get_s = 0;
    for (const TammFetch& fetch : term.fetches) {
      const auto blocks = static_cast<double>(fetch.of_inner.size());
      result_.got_bytes += steps * blocks * fetch.bytes;
      get_s += steps * blocks * get_seconds(fetch.bytes);
    }
    if (!options_.waiting) get_s = 0;
    if (bounds_ && options_.server && options_.waiting) add_loads(rank, part, term);
    result_.get_s += get_s;
    result_.gemms += steps * term.gemms_of_step;
    result_.flops += steps * term.flops_of_step;
    const auto results = static_cast<double>(behind - first);
    const double then = compute(rank,
                                {steps * term.step.host + results * term.result.host,
                                 steps * term.step.product + results * term.result.product},
                                now + get_s);
    end_part(state, then);
    return then;
  }

  /// What the part's gets take of the processes of other nodes.
  void add_loads(int rank, const TammPart& part, const TammTermWork& term) {
    for (const TammFetch& fetch : term.fetches) {
      const double seconds = served_seconds(fetch.bytes);
      for (std::int64_t step = part.begin; step < part.end; ++step) {
        const std::int64_t first = fetch.block(step, term.sums);
        for (const std::int64_t inner : fetch.of_inner) {
          const int node = node_of(fetch.line->rank_of(first + inner));
          if (node != node_of(rank)) loads_[static_cast<std::size_t>(node)] += seconds;
        }
      }
    }
  }

  /// The next request of a rank, and all that follows it without another one. Requests come to a node's
  /// process in the order of these calls.
  double go_on(int rank, TammRank& state, double now) {
    const TammTermWork& term = (*terms_)[parts_[state.part].term];
    double then = get(rank, state, term.fetches[state.fetch], term.sums, now);
    if (state.inner > 0) return then;
    if (++state.fetch < term.fetches.size()) return then;
    state.fetch = 0;
    result_.gemms += term.gemms_of_step;
    result_.flops += term.flops_of_step;
    then = compute(rank, term.step, then);
    ++state.step;
    const bool ended = state.step == parts_[state.part].end;
    if (ended || state.step % term.sums == 0) then = compute(rank, term.result, then);
    if (ended) end_part(state, then);
    return then;
  }

  void end_part(TammRank& state, double now) {
    TammResult::TammTerm& report = reports_[parts_[state.part].term];
    report.longest_s = std::max(report.longest_s, now - state.part_begin_s);
    ++report.ranks;
    state.part_begin_s = now;
    if (++state.part < state.end) state.step = parts_[state.part].begin;
  }

  /// Blocks from state.inner on that are on one node are one request; state.inner is 0 again behind the last.
  double get(int rank, TammRank& state, const TammFetch& fetch, std::int64_t sums, double now) {
    const std::int64_t first = fetch.block(state.step, sums);
    const auto owner = [&](std::size_t inner) { return fetch.line->rank_of(first + fetch.of_inner[inner]); };
    const int node = node_of(owner(state.inner));
    const std::size_t first_inner = state.inner;
    std::size_t end = first_inner + 1;
    while (end < fetch.of_inner.size() && node_of(owner(end)) == node) ++end;
    state.inner = end == fetch.of_inner.size() ? 0 : end;
    const auto blocks = static_cast<double>(end - first_inner);
    result_.got_bytes += blocks * fetch.bytes;
    return options_.waiting ? received(rank, node, blocks, fetch.bytes, now) : now;
  }

  double received(int rank, int node, double blocks, double bytes, double now) {
    double served = now;
    if (node != node_of(rank) && options_.server) {
      served = servers_.serve(node, now, blocks * served_seconds(bytes)).end_s;
      result_.queue_s += served - now;
      note(Cause::wait, rank, now, served);
    }
    const double then = served + blocks * get_seconds(bytes);
    result_.get_s += then - served;
    note(Cause::network, rank, served, then);
    return then;
  }

  double served_seconds(double bytes) const {
    const double rate = machine_.platform.tamm.served_bytes_per_s;
    return rate > 0 ? bytes / rate
                    : memory_copy_seconds(machine_.platform, static_cast<std::int64_t>(bytes));
  }

  /// With the way of the request.
  double get_seconds(double bytes) const {
    const double rate = machine_.platform.tamm.get_bytes_per_s;
    const LinkModel& link = machine_.platform.network.message;
    return 2 * link.latency_s + over(bytes, rate > 0 ? rate : link.bandwidth_bytes_per_s);
  }

  double compute(int rank, const TammSeconds& seconds, double now) {
    result_.host_s += seconds.host;
    result_.products_s += seconds.product;
    note(Cause::combine, rank, now, now + seconds.host);
    note(Cause::kernel, rank, now + seconds.host, now + seconds.sum());
    return now + seconds.sum();
  }

  void update() {
    const std::vector<double> seconds = work_.update_seconds();
    for (int rank = 0; rank < ranks_; ++rank) {
      const double own = seconds[static_cast<std::size_t>(rank)];
      result_.update_s = std::max(result_.update_s, own);
      compute(rank, {own, 0}, result_.makespan_s);
    }
    for (const double own : seconds) result_.idle_s += result_.update_s - own;
    result_.makespan_s += result_.update_s;
  }

  void note(Cause cause, int rank, double start_s, double end_s) const {
    if (!options_.trace || end_s <= start_s) return;
    TraceEvent event;
    event.cause = cause;
    event.rank = Rank::of(rank);
    event.device = cause == Cause::kernel ? MemoryPlace(0) : kHost;
    event.start_s = start_s;
    event.end_s = end_s;
    options_.trace->record(event);
  }

  const TammWork& work_;
  const Machine& machine_;
  TammOptions options_;
  bool bounds_;
  std::vector<double> loads_;  // of each node's process in the level, seconds
  int ranks_, per_node_;
  NodeQueue servers_;
  const std::vector<TammTermWork>* terms_ = nullptr;  // of the level
  std::vector<TammPart> parts_;                       // of the level
  std::vector<TammResult::TammTerm> reports_;         // of the level's terms
  TammResult result_;
};

}  // namespace

TammResult simulate_tamm(const Program& program, const std::vector<LabelledTiles>& tiles,
                         const Machine& machine, const std::string& source, const TammOptions& options) {
  const TammWork work(program, tiles, machine, source, {options.passes, options.remake});
  return Tamm(work, machine, options).run();
}

namespace {

constexpr std::int64_t kFirstTile = 40, kTileStep = 5, kMostTile = 180, kMostTileOfSmall = 160;

std::int64_t largest_tile(const Machine& machine) {
  constexpr std::int64_t kLargeDevice = 50'000'000'000;
  return machine.platform.device.memory_bytes >= kLargeDevice ? kMostTile : kMostTileOfSmall;
}

std::int64_t tiles_of(std::int64_t extent, std::int64_t tile) {
  return (extent + tile - 1) / tile;
}

}  // namespace

std::int64_t tamm_tile(std::int64_t occupied, std::int64_t virtuals, const Machine& machine) {
  constexpr double kLeastShare = 0.31;
  std::int64_t best = kFirstTile;
  for (std::int64_t tile = kFirstTile; tile <= largest_tile(machine); tile += kTileStep) {
    const auto v = static_cast<double>(tiles_of(virtuals, tile));
    const auto o = static_cast<double>(tiles_of(occupied, tile));
    if (v * v * o * o < kLeastShare * machine.devices()) break;
    best = tile;
  }
  return best;
}

std::int64_t best_tamm_tile(const Program& program, ProgramSizes sizes, const Machine& machine,
                            const std::string& source, TammOptions options) {
  // Of tiles that cut both spaces alike the largest.
  std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> alike;
  for (std::int64_t tile = kFirstTile; tile <= largest_tile(machine); tile += kTileStep)
    alike[{tiles_of(sizes.occupied, tile), tiles_of(sizes.virtuals, tile)}] = tile;
  const auto simulated = [&](std::int64_t tile, bool bounds) {
    sizes.tile = tile;
    const std::vector<LabelledTiles> tiles = spin_tiles_of(program, sizes);
    const TammWork work(program, tiles, machine, source, {options.passes, options.remake});
    const TammResult result = Tamm(work, machine, options, bounds).run();
    return result.ended ? result.makespan_s : std::numeric_limits<double>::infinity();
  };
  options.trace = nullptr;
  std::vector<std::pair<double, std::int64_t>> bounds;
  for (const auto& [blocks, tile] : alike) bounds.emplace_back(simulated(tile, true), tile);
  std::ranges::sort(bounds);
  std::int64_t best = bounds.front().second;
  for (const auto& [bound_s, tile] : bounds) {
    if (bound_s >= options.limit_s) break;
    const double seconds = simulated(tile, false);
    if (seconds >= options.limit_s) continue;
    options.limit_s = seconds;
    best = tile;
  }
  return best;
}

}  // namespace foretile
