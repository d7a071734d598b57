// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/tamm_order.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "platforms/cost/addition.hpp"
#include "simulator/rank_trace.hpp"
#include "simulator/tamm_work.hpp"

namespace foretile {

namespace {

/// A rank's part of a term: steps [begin, end), all blocks of its result one after the other.
struct TammPart {
  int rank = 0;
  std::int64_t begin = 0, end = 0;

  double steps() const { return static_cast<double>(end - begin); }
  /// Blocks of the result, each of `sums` steps, also those that are not whole.
  double blocks(std::int64_t sums) const {
    const std::int64_t first = begin / sums, last = (end - 1) / sums;
    return static_cast<double>(last - first + 1);
  }
};

class Tamm {
 public:
  Tamm(const TammWork& work, const Machine& machine, const TammOptions& options)
      : work_(work),
        machine_(machine),
        options_(options),
        ranks_(machine.devices()),
        now_s_(static_cast<std::size_t>(ranks_), 0) {}

  TammResult run() {
    double begin_s = 0;
    for (int level = 1; level <= work_.levels(); ++level) {
      for (const TammTermWork& term : work_.of_level(level)) run_term(term);
      if (options_.levels || level == work_.levels()) begin_s = end_level(begin_s);
    }
    result_.makespan_s = begin_s;
    if (options_.update) update();
    std::ranges::sort(result_.terms, std::greater<>(), &TammTerm::longest_s);
    return std::move(result_);
  }

 private:
  using TammTerm = TammResult::TammTerm;

  /// Of ranks that have one, in their order.
  std::vector<TammPart> parts_of(const TammTermWork& term) const {
    std::vector<TammPart> parts;
    const BlockLine& line = work_.line(term.tensor);
    const std::int64_t steps = line.blocks() * term.sums;
    if (!options_.blocks) {
      for (std::int64_t rank = 0; rank < ranks_; ++rank) {
        const TammPart part{static_cast<int>(rank), steps * rank / ranks_, steps * (rank + 1) / ranks_};
        if (part.begin < part.end) parts.push_back(part);
      }
      return parts;
    }
    for (std::int64_t block = 0; block < line.blocks(); ++block) {
      const int rank = line.rank_of(block);
      if (parts.empty() || parts.back().rank != rank)
        parts.push_back({rank, block * term.sums, block * term.sums});
      parts.back().end += term.sums;
    }
    return parts;
  }

  void run_term(const TammTermWork& term) {
    const std::vector<TammPart> parts = parts_of(term);
    const double all = static_cast<double>(work_.line(term.tensor).blocks() * term.sums);
    double most = 0;
    for (const TammPart& part : parts) most = std::max(most, part.steps());
    const double served_s = served_seconds(all * term.bytes_of_step);
    result_.server_s += served_s * machine_.nodes();
    result_.got_bytes += all * term.bytes_of_step;
    result_.gemms += all * term.gemms_of_step;
    result_.flops += all * term.flops_of_step;
    TammTerm report{.number = term.number, .ranks = static_cast<int>(parts.size())};
    for (const TammPart& part : parts)
      report.longest_s = std::max(report.longest_s, run_part(term, part, served_s / most));
    result_.terms.push_back(report);
  }

  /// Seconds of the processes of all nodes while they serve what the ranks get, but for what is on their own
  /// node.
  double served_seconds(double bytes) const {
    if (!options_.server || !options_.waiting) return 0;
    const double nodes = machine_.nodes();
    const double of_each = bytes * (1 - 1 / nodes) / nodes;
    const double rate = machine_.platform.tamm.served_bytes_per_s;
    return rate > 0 ? of_each / rate
                    : memory_copy_seconds(machine_.platform, static_cast<std::int64_t>(of_each));
  }

  double run_part(const TammTermWork& term, const TammPart& part, double wait_s_of_step) {
    const double steps = part.steps(), blocks = part.blocks(term.sums);
    const double wait_s = steps * wait_s_of_step, get_s = steps * term.step.get;
    const double host_s = steps * term.step.host + blocks * term.result.host;
    const double product_s = steps * term.step.product;
    result_.queue_s += wait_s;
    result_.get_s += get_s;
    result_.host_s += host_s;
    result_.products_s += product_s;
    spend(Cause::wait, part.rank, wait_s);
    spend(Cause::network, part.rank, get_s);
    spend(Cause::combine, part.rank, host_s);
    spend(Cause::kernel, part.rank, product_s);
    return wait_s + get_s + host_s + product_s;
  }

  void spend(Cause cause, int rank, double seconds) {
    double& now = now_s_[static_cast<std::size_t>(rank)];
    record(options_.trace, cause, rank, now, now + seconds);
    now += seconds;
  }

  double end_level(double begin_s) {
    const double end_s = std::ranges::max(now_s_);
    for (double& now : now_s_) {
      result_.idle_s += end_s - now;
      now = end_s;
    }
    result_.level_s.push_back(end_s - begin_s);
    return end_s;
  }

  void update() {
    const std::vector<double> seconds = work_.update_seconds();
    result_.update_s = std::ranges::max(seconds);
    for (int rank = 0; rank < ranks_; ++rank) {
      const double own = seconds[static_cast<std::size_t>(rank)];
      spend(Cause::combine, rank, own);
      result_.host_s += own;
      result_.idle_s += result_.update_s - own;
    }
    result_.makespan_s += result_.update_s;
  }

  const TammWork& work_;
  const Machine& machine_;
  const TammOptions& options_;
  int ranks_;
  std::vector<double> now_s_;  // of each rank
  TammResult result_;
};

constexpr std::int64_t kFirstTile = 40, kTileStep = 5, kMostTile = 180, kMostTileOfSmall = 160;

std::int64_t largest_tile(const Machine& machine) {
  constexpr std::int64_t kLargeDevice = 50'000'000'000;
  return machine.platform.device.memory_bytes >= kLargeDevice ? kMostTile : kMostTileOfSmall;
}

std::int64_t tiles_of(std::int64_t extent, std::int64_t tile) {
  return (extent + tile - 1) / tile;
}

}  // namespace

TammResult simulate_tamm(const Program& program, const std::vector<LabelledTiles>& tiles,
                         const Machine& machine, const std::string& source, const TammOptions& options) {
  const TammWork work(program, tiles, machine, source, {options.passes, options.remake, options.waiting});
  return Tamm(work, machine, options).run();
}

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
  options.trace = nullptr;
  std::int64_t best = kFirstTile;
  double least_s = std::numeric_limits<double>::infinity();
  for (std::int64_t tile = kFirstTile; tile <= largest_tile(machine); tile += kTileStep) {
    sizes.tile = tile;
    const double seconds =
        simulate_tamm(program, spin_tiles_of(program, sizes), machine, source, options).makespan_s;
    if (seconds < least_s) least_s = seconds, best = tile;
  }
  return best;
}

}  // namespace foretile
