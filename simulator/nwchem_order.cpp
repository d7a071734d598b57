// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/nwchem_order.hpp"

#include <algorithm>
#include <queue>
#include <utility>

#include "planner/distribution/program_distribution.hpp"
#include "planner/plan/products_of_tile.hpp"
#include "platforms/cost/addition.hpp"
#include "platforms/cost/message.hpp"
#include "simulator/node_queue.hpp"
#include "simulator/rank_trace.hpp"

namespace foretile {

namespace {

/// All products that add to one tile of C of a term; of a term with one operand one block that is copied.
struct Chain {
  std::size_t term = 0;
  TileId c = 0;  ///< or the number of the copy
};

/// What a rank does as one step of a chain.
struct ChainStep {
  enum class Kind { get, accumulate, sort, multiply };
  Kind kind = Kind::get;
  std::int64_t bytes = 0;                     ///< of a block that is moved
  int owner = 0;                              ///< rank that has it
  std::int64_t NwchemResult::*sum = nullptr;  ///< where its bytes count
  double sort_s = 0, product_s = 0;
};

/// What a block passes on its way, each first come first served.
enum class Turn { none, sender, receiver };

/// A rank on its way through its chains.
struct RankState {
  std::vector<ChainStep> steps;  ///< of the chain
  std::size_t next = 0;          ///< of them
  double asked_s = 0;            ///< when it asked for the block that it waits for
  double there_s = 0;            ///< when it has the block, at least
  Turn turn = Turn::none;        ///< that it waits for
  std::size_t distributed = 0;   ///< without a counter: chains that it had
  bool over = false;             ///< it knows that there is no more
};

class Nwchem {
 public:
  Nwchem(const FusedProgram& program, const Machine& machine, const NwchemOptions& options)
      : program_(program),
        machine_(machine),
        options_(options),
        ranks_(machine.devices()),
        per_node_(machine.ranks_per_node * machine.devices_per_rank),
        servers_(machine.nodes()),
        out_(machine.nodes()),
        in_(machine.nodes()) {}

  NwchemResult run() {
    std::vector<Chain> pool;
    for (int level = 1; level <= program_.levels(); ++level) {
      for (const std::size_t term : program_.terms_of_level(level)) add_chains(term, pool);
      if (!options_.levels && level < program_.levels()) continue;
      run_pool(pool);
      pool.clear();
    }
    result_.server_s = servers_.busy_s();
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
        events.emplace(go_on(pool, now, rank), rank);
      }
    }
    result_.idle_s += last * ranks_ - ends;
    result_.level_s.push_back(last - begin);
    result_.makespan_s = last;
  }

  /// When the rank is to be looked at again. Each call claims what ranks share for `now` alone, so that first
  /// come is first served.
  double go_on(const std::vector<Chain>& pool, double now, int rank) {
    RankState& state = states_[static_cast<std::size_t>(rank)];
    if (state.turn == Turn::sender) return leave(now, rank, state);
    if (state.turn == Turn::receiver) return arrive(now, rank, state);
    if (state.next == state.steps.size()) return next_chain(pool, now, rank, state);
    const ChainStep& step = state.steps[state.next];
    if (step.sum) return ask(step, now, rank, state);
    ++state.next;
    return compute(step, now, rank);
  }

  double next_chain(const std::vector<Chain>& pool, double now, int rank, RankState& state) {
    double then = now;
    std::size_t chain = 0;
    if (options_.counter) {
      const double way = rank == 0 ? 0 : machine_.platform.network.message.latency_s;
      counter_free_ = std::max(now + way, counter_free_) + options_.counter_s;
      then = counter_free_ + way;
      result_.counter_s += then - now;
      note(Cause::wait, rank, now, then);
      chain = next_chain_++;
    } else {
      chain = static_cast<std::size_t>(rank) + state.distributed++ * static_cast<std::size_t>(ranks_);
    }
    state.over = chain >= pool.size();
    state.steps.clear();
    state.next = 0;
    if (!state.over) add_steps(pool[chain], state.steps);
    return then;
  }

  void add_steps(const Chain& chain, std::vector<ChainStep>& steps) {
    const FusedProgramTerm& fused = program_.terms()[chain.term];
    if (!fused.is_product()) {
      const CopiedBlock& copy = fused.copies[static_cast<std::size_t>(chain.c)];
      const ProgramBlock block{fused.operands[0], copy.from};
      add_get(block, &NwchemResult::copied_bytes, steps);
      return add_accumulations(fused, program_.bytes(block.tensor, block.block),
                               program_.additions(chain.term, copy), &NwchemResult::copied_bytes, steps);
    }
    ++result_.chains;
    const Contraction& p = fused.product->contraction();
    for_each_product_of(p, chain.c, [&](TileId a, TileId b) {
      add_get(block_of(fused, 0, a), &NwchemResult::got_bytes, steps);
      add_get(block_of(fused, 1, b), &NwchemResult::got_bytes, steps);
      steps.push_back(product(p, chain.c, a, b));
    });
    add_accumulations(fused, p.c_bytes(chain.c), program_.additions(chain.term, chain.c),
                      &NwchemResult::accumulated_bytes, steps);
  }

  ChainStep product(const Contraction& p, TileId c, TileId a, TileId b) const {
    ChainStep multiply{.kind = ChainStep::Kind::multiply};
    // NWChem sorts every tile, whatever its order.
    multiply.sort_s = block_seconds(machine_.platform, p.a_bytes(a), true) +
                      block_seconds(machine_.platform, p.b_bytes(b), true);
    multiply.product_s =
        machine_.platform.device.kernel_for(Precision::f64)
            .seconds(p.m.size(p.c.row_of(c)), p.n.size(p.c.column_of(c)), p.k.size(p.a.column_of(a)));
    return multiply;
  }

  void add_get(const ProgramBlock& block, std::int64_t NwchemResult::*sum,
               std::vector<ChainStep>& steps) const {
    if (program_.blocks(block.tensor).ranges().size() <= 2) return;  // everywhere
    steps.push_back({.kind = ChainStep::Kind::get,
                     .bytes = program_.bytes(block.tensor, block.block),
                     .owner = round_robin_owner(block, ranks_),
                     .sum = sum});
  }

  void add_accumulations(const FusedProgramTerm& fused, std::int64_t bytes,
                         const std::vector<Addition>& additions, std::int64_t NwchemResult::*sum,
                         std::vector<ChainStep>& steps) const {
    for (const Addition& addition : additions) {
      steps.push_back(
          {.kind = ChainStep::Kind::sort, .sort_s = block_seconds(machine_.platform, bytes, true)});
      steps.push_back({.kind = ChainStep::Kind::accumulate,
                       .bytes = bytes,
                       .owner = round_robin_owner({fused.result, addition.to}, ranks_),
                       .sum = sum});
    }
  }

  double compute(const ChainStep& step, double now, int rank) {
    const double sorted = now + step.sort_s, then = sorted + step.product_s;
    result_.sort_s += step.sort_s;
    result_.products_s += step.product_s;
    if (step.kind == ChainStep::Kind::multiply) ++result_.gemms;
    note(Cause::combine, rank, now, sorted);
    note(Cause::kernel, rank, sorted, then);
    return then;
  }

  double ask(const ChainStep& step, double now, int rank, RankState& state) {
    result_.*step.sum += step.bytes;
    if (!options_.waiting) {
      ++state.next;
      return now;
    }
    const Platform& p = machine_.platform;
    const bool in_node = node_of(step.owner) == node_of(rank);
    const LinkModel& link = message_link(p, in_node);
    const double alone_s =
        step.owner == rank ? 0 : link.latency_s + seconds(step.bytes, link.bandwidth_bytes_per_s);
    state.asked_s = now;
    state.there_s = now + alone_s;
    if (in_node) return have(state.there_s, rank, state);
    state.turn = Turn::sender;
    if (!options_.server) return now + link.latency_s;
    const double work_s = step.kind == ChainStep::Kind::get ? memory_copy_seconds(p, step.bytes)
                                                            : block_seconds(p, step.bytes, false);
    const ServedTime served = servers_.serve(node_of(step.owner), now + link.latency_s, work_s);
    result_.queue_s += served.start_s - now - link.latency_s;
    state.there_s = std::max(served.start_s + alone_s - link.latency_s, served.end_s);
    return served.start_s;
  }

  /// The block's message begins: it passes the port of the sender's node.
  double leave(double now, int rank, RankState& state) {
    const ChainStep& step = state.steps[state.next];
    const int from = step.kind == ChainStep::Kind::get ? step.owner : rank;
    state.turn = Turn::receiver;
    return out_.serve(node_of(from), now, port_s(step)).start_s;
  }

  /// It comes to the port of the receiver's node as it leaves the other.
  double arrive(double now, int rank, RankState& state) {
    const ChainStep& step = state.steps[state.next];
    const int to = step.kind == ChainStep::Kind::get ? rank : step.owner;
    state.turn = Turn::none;
    const double passed_s = in_.serve(node_of(to), now, port_s(step)).end_s;
    return have(std::max(passed_s, state.there_s), rank, state);
  }

  double port_s(const ChainStep& step) const {
    return node_port_s(machine_.platform, static_cast<double>(step.bytes));
  }

  double have(double there_s, int rank, RankState& state) {
    const bool get = state.steps[state.next++].kind == ChainStep::Kind::get;
    (get ? result_.get_s : result_.accumulate_s) += there_s - state.asked_s;
    note(Cause::network, rank, state.asked_s, there_s);
    return there_s;
  }

  void note(Cause cause, int rank, double start_s, double end_s) const {
    record(options_.trace, cause, rank, start_s, end_s);
  }

  static ProgramBlock block_of(const FusedProgramTerm& fused, std::size_t matrix, TileId tile) {
    return {fused.operands[matrix], fused.product->operand_tile(matrix, tile).block};
  }

  const FusedProgram& program_;
  const Machine& machine_;
  const NwchemOptions& options_;
  int ranks_, per_node_;
  NodeQueue servers_, out_, in_;  // each node's process, and its port in both directions
  double counter_free_ = 0;
  std::size_t next_chain_ = 0;
  std::vector<RankState> states_;
  NwchemResult result_;
};

}  // namespace

NwchemResult simulate_nwchem(const FusedProgram& program, const Machine& machine,
                             const NwchemOptions& options) {
  return Nwchem(program, machine, options).run();
}

}  // namespace foretile
