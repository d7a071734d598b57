// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/original_order.hpp"

#include <algorithm>
#include <queue>
#include <utility>

#include "planner/distribution/program_distribution.hpp"
#include "planner/plan/products_of_tile.hpp"
#include "platforms/cost/addition.hpp"
#include "platforms/cost/message.hpp"

namespace foretile {

namespace {

/// All products that add to one tile of C of a term; of a term with one operand one block that is copied.
struct Chain {
  std::size_t term = 0;
  TileId c = 0;  ///< or the number of the copy
};

/// A rank on its way through its chains.
struct RankState {
  std::size_t chain = 0;  ///< of the pool
  bool working = false;
  std::vector<std::pair<TileId, TileId>> products;  ///< of the chain: tiles of A and B
  std::size_t next = 0;                             ///< of them
  std::size_t distributed = 0;                      ///< without a counter: chains that it had
  bool over = false;                                ///< it knows that there is no more
};

class Original {
 public:
  Original(const FusedProgram& program, const Machine& machine, const OriginalOptions& options)
      : program_(program),
        machine_(machine),
        options_(options),
        ranks_(machine.devices()),
        per_node_(machine.ranks_per_node * machine.devices_per_rank),
        in_(static_cast<std::size_t>(machine.nodes()), 0),
        out_(static_cast<std::size_t>(machine.nodes()), 0) {}

  OriginalResult run() {
    std::vector<Chain> pool;
    for (int level = 1; level <= program_.levels(); ++level) {
      for (const std::size_t term : program_.terms_of_level(level)) add_chains(term, pool);
      if (!options_.levels && level < program_.levels()) continue;
      run_pool(pool);
      pool.clear();
    }
    return std::move(result_);
  }

 private:
  void add_chains(std::size_t term, std::vector<Chain>& pool) const {
    const FusedProgramTerm& fused = program_.terms()[term];
    for (std::size_t copy = 0; copy < fused.copies.size(); ++copy)
      pool.push_back({term, static_cast<TileId>(copy)});
    if (!fused.is_product()) return;
    for (TileId c = 0; c < fused.product->contraction().c.nonzeros(); ++c) pool.push_back({term, c});
  }

  int node_of(int rank) const { return rank / per_node_; }

  /// At a rate of 0: it never limits. A rank has a rate of its own, too.
  double seconds(std::int64_t bytes, double bytes_per_s) const {
    const double own = options_.get_bytes_per_s;
    const double rate = own > 0 && (bytes_per_s <= 0 || own < bytes_per_s) ? own : bytes_per_s;
    return over(static_cast<double>(bytes), rate);
  }

  /// When the rank has the bytes of a block that is with another.
  double moved(double now, int from, int to, std::int64_t bytes) {
    const Platform& p = machine_.platform;
    if (from == to) return now;
    const bool in_node = node_of(from) == node_of(to);
    const LinkModel& link = message_link(p, in_node);
    const double alone = now + link.latency_s + seconds(bytes, link.bandwidth_bytes_per_s);
    const double port_s = node_port_s(p, static_cast<double>(bytes));
    if (in_node || port_s <= 0) return alone;
    double& out = out_[static_cast<std::size_t>(node_of(from))];
    double& in = in_[static_cast<std::size_t>(node_of(to))];
    in = out = std::max({now + link.latency_s, in, out}) + port_s;
    return std::max(in, alone);
  }

  void run_pool(const std::vector<Chain>& pool) {
    states_.assign(static_cast<std::size_t>(ranks_), {});
    next_chain_ = 0;
    using Event = std::pair<double, int>;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
    const double begin = result_.makespan_s;
    counter_free_ = begin;
    for (int rank = 0; rank < ranks_; ++rank) events.emplace(begin, rank);
    double last = begin, ends = 0;
    while (!events.empty()) {
      const auto [now, rank] = events.top();
      events.pop();
      if (states_[static_cast<std::size_t>(rank)].over) {
        last = std::max(last, now);
        ends += now;
      } else {
        events.emplace(step(pool, now, rank), rank);
      }
    }
    result_.idle_s += last * ranks_ - ends;
    result_.level_s.push_back(last - begin);
    result_.makespan_s = last;
  }

  /// When the rank is to be looked at again.
  double step(const std::vector<Chain>& pool, double now, int rank) {
    RankState& state = states_[static_cast<std::size_t>(rank)];
    if (!state.working) return next_chain(pool, now, rank, state);
    const Chain& chain = pool[state.chain];
    if (state.next < state.products.size()) return multiply(chain, state.products[state.next++], now, rank);
    state.working = false;
    return accumulate(chain, now, rank);
  }

  double next_chain(const std::vector<Chain>& pool, double now, int rank, RankState& state) {
    double then = now;
    if (options_.counter) {
      const double way = rank == 0 ? 0 : machine_.platform.network.message.latency_s;
      counter_free_ = std::max(now + way, counter_free_) + options_.counter_s;
      then = counter_free_ + way;
      result_.counter_s += then - now;
      note(Cause::wait, rank, now, then);
      state.chain = next_chain_++;
    } else {
      state.chain = static_cast<std::size_t>(rank) + state.distributed++ * static_cast<std::size_t>(ranks_);
    }
    state.over = state.chain >= pool.size();
    if (state.over) return then;
    state.working = true;
    state.products.clear();
    state.next = 0;
    const Chain& chain = pool[state.chain];
    if (!program_.terms()[chain.term].is_product()) return then;
    ++result_.chains;
    for_each_product_of(program_.terms()[chain.term].product->contraction(), chain.c,
                        [&](TileId a, TileId b) { state.products.emplace_back(a, b); });
    return then;
  }

  double multiply(const Chain& chain, const std::pair<TileId, TileId>& product, double now, int rank) {
    const FusedProgramTerm& fused = program_.terms()[chain.term];
    const Contraction& p = fused.product->contraction();
    double then = get(block_of(fused, 0, product.first), now, rank, result_.got_bytes);
    then = get(block_of(fused, 1, product.second), then, rank, result_.got_bytes);
    result_.get_s += then - now;
    // NWChem sorts every tile, whatever its order.
    const double sort_s = block_seconds(machine_.platform, p.a_bytes(product.first), true) +
                          block_seconds(machine_.platform, p.b_bytes(product.second), true);
    const double product_s = machine_.platform.device.kernel.seconds(p.m.size(p.c.row_of(chain.c)),
                                                                     p.n.size(p.c.column_of(chain.c)),
                                                                     p.k.size(p.a.column_of(product.first)));
    result_.sort_s += sort_s;
    result_.products_s += product_s;
    ++result_.gemms;
    note(Cause::network, rank, now, then);
    note(Cause::combine, rank, then, then + sort_s);
    note(Cause::kernel, rank, then + sort_s, then + sort_s + product_s);
    return then + sort_s + product_s;
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

  static ProgramBlock block_of(const FusedProgramTerm& fused, std::size_t matrix, TileId tile) {
    return {fused.operands[matrix], fused.product->operand_tile(matrix, tile).block};
  }

  double get(const ProgramBlock& block, double now, int rank, std::int64_t& sum) {
    if (program_.blocks(block.tensor).ranges().size() <= 2) return now;  // everywhere
    const std::int64_t bytes = program_.bytes(block.tensor, block.block);
    sum += bytes;
    const double there = moved(now, round_robin_owner(block, ranks_), rank, bytes);
    return options_.waiting ? there : now;
  }

  double accumulate(const Chain& chain, double now, int rank) {
    const FusedProgramTerm& fused = program_.terms()[chain.term];
    if (fused.is_product())
      return accumulate(fused, fused.product->contraction().c_bytes(chain.c),
                        program_.additions(chain.term, chain.c), now, rank, result_.accumulated_bytes);
    const CopiedBlock& copy = fused.copies[static_cast<std::size_t>(chain.c)];
    const ProgramBlock block{fused.operands[0], copy.from};
    const double there = get(block, now, rank, result_.copied_bytes);
    result_.get_s += there - now;
    note(Cause::network, rank, now, there);
    return accumulate(fused, program_.bytes(block.tensor, block.block), program_.additions(chain.term, copy),
                      there, rank, result_.copied_bytes);
  }

  double accumulate(const FusedProgramTerm& fused, std::int64_t bytes, const std::vector<Addition>& additions,
                    double now, int rank, std::int64_t& sum) {
    double then = now;
    for (const Addition& addition : additions) {
      const double sort_s = block_seconds(machine_.platform, bytes, true);
      result_.sort_s += sort_s;
      note(Cause::combine, rank, then, then + sort_s);
      then += sort_s;
      sum += bytes;
      const double there = moved(then, rank, round_robin_owner({fused.result, addition.to}, ranks_), bytes);
      if (!options_.waiting) continue;
      result_.accumulate_s += there - then;
      note(Cause::network, rank, then, there);
      then = there;
    }
    return then;
  }

  const FusedProgram& program_;
  const Machine& machine_;
  const OriginalOptions& options_;
  int ranks_, per_node_;
  std::vector<double> in_, out_;  // of each node: when its port is free
  double counter_free_ = 0;
  std::size_t next_chain_ = 0;
  std::vector<RankState> states_;
  OriginalResult result_;
};

}  // namespace

OriginalResult simulate_original(const FusedProgram& program, const Machine& machine,
                                 const OriginalOptions& options) {
  return Original(program, machine, options).run();
}

}  // namespace foretile
