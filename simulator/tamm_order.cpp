// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/tamm_order.hpp"

#include <algorithm>
#include <array>
#include <functional>
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

class Tamm {
 public:
  Tamm(const TammWork& work, const Machine& machine, const TammOptions& options)
      : work_(work),
        machine_(machine),
        options_(options),
        ranks_(machine.devices()),
        per_node_(machine.ranks_per_node * machine.devices_per_rank),
        latency_s_(machine.platform.network.message.latency_s),
        servers_(machine.nodes()) {}

  TammResult run() {
    std::vector<TammTermWork> terms;
    for (int level = 1; level <= work_.levels(); ++level) {
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
    std::vector<TammRank> states(static_cast<std::size_t>(ranks_));
    using Event = std::pair<double, int>;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      TammRank& state = states[static_cast<std::size_t>(parts_[p].rank)];
      if (state.end == 0) {
        state = {.part = p, .step = parts_[p].begin, .part_begin_s = begin};
        events.emplace(begin, parts_[p].rank);
      }
      state.end = p + 1;
    }
    double last = begin, ends = begin * (ranks_ - static_cast<double>(events.size()));
    while (!events.empty()) {
      const auto [now, rank] = events.top();
      TammRank& state = states[static_cast<std::size_t>(rank)];
      events.pop();
      const double then = go_on(rank, state, now);
      if (state.part < state.end) {
        events.emplace(then, rank);
      } else {
        last = std::max(last, then);
        ends += then;
      }
    }
    result_.idle_s += last * ranks_ - ends;
    result_.level_s.push_back(last - begin);
    result_.makespan_s = last;
    for (std::size_t t = 0; t < terms.size(); ++t) {
      reports_[t].number = terms[t].number;
      result_.terms.push_back(reports_[t]);
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
    const std::int64_t first = fetch.of_result[static_cast<std::size_t>(state.step / sums)] +
                               fetch.of_sum[static_cast<std::size_t>(state.step % sums)];
    const auto owner = [&](std::size_t inner) { return fetch.line->rank_of(first + fetch.of_inner[inner]); };
    const int node = node_of(owner(state.inner));
    std::size_t end = state.inner + 1;
    while (end < fetch.of_inner.size() && node_of(owner(end)) == node) ++end;
    const double bytes = static_cast<double>(end - state.inner) * fetch.bytes;
    state.inner = end == fetch.of_inner.size() ? 0 : end;
    result_.got_bytes += bytes;
    return options_.waiting ? received(rank, node, bytes, now) : now;
  }

  double received(int rank, int node, double bytes, double now) {
    double served = now;
    const bool near = node == node_of(rank);
    if (!near && options_.server) {
      served = servers_.serve(node, now + latency_s_, served_seconds(bytes)).end_s;
      result_.queue_s += served - now;
      note(Cause::wait, rank, now, served);
    }
    const double then = served + (near ? 0 : latency_s_) + get_seconds(bytes);
    result_.get_s += then - served;
    note(Cause::network, rank, served, then);
    return then;
  }

  double served_seconds(double bytes) const {
    const double rate = machine_.platform.tamm.served_bytes_per_s;
    return rate > 0 ? bytes / rate
                    : memory_copy_seconds(machine_.platform, static_cast<std::int64_t>(bytes));
  }

  double get_seconds(double bytes) const {
    const double rate = machine_.platform.tamm.get_bytes_per_s;
    return over(bytes, rate > 0 ? rate : machine_.platform.network.message.bandwidth_bytes_per_s);
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
  int ranks_, per_node_;
  double latency_s_;
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

std::int64_t tamm_tile(std::int64_t occupied, std::int64_t virtuals, const Machine& machine) {
  constexpr std::int64_t kFirst = 40, kStep = 5, kMost = 180, kMostOfSmall = 160;
  constexpr std::int64_t kLargeDevice = 50'000'000'000;
  constexpr double kLeastShare = 0.31;
  const std::int64_t most =
      machine.platform.device.memory_bytes >= kLargeDevice ? kMost : kMostOfSmall;
  const auto blocks = [&](std::int64_t tile) {
    const auto v = static_cast<double>((virtuals + tile - 1) / tile);
    const auto o = static_cast<double>((occupied + tile - 1) / tile);
    return v * v * o * o;
  };
  std::int64_t best = kFirst;
  for (std::int64_t tile = kFirst; tile <= most; tile += kStep) {
    if (blocks(tile) < kLeastShare * machine.devices()) break;
    best = tile;
  }
  return best;
}

}  // namespace foretile
