// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "planner/bound/bound.hpp"
#include "planner/bound/serial.hpp"
#include "planner/bound/tails.hpp"
#include "planner/plan/devices.hpp"
#include "platforms/cost/copy.hpp"
#include "platforms/cost/generation.hpp"
#include "platforms/cost/message.hpp"

namespace foretile {

namespace {

constexpr BoundWork kCopies{.copies = true};
constexpr BoundWork kGeneration{.generation = true};
constexpr BoundWork kMessages{.messages = true};
constexpr BoundWork kCores{.products = true, .generation = true};
constexpr BoundWork kBlocks{.products = true, .copies = true};
constexpr BoundWork kAll{.products = true, .copies = true, .messages = true};

/// What one rank has to do in all.
struct RankNeeds {
  double manager_s = 0;  // of all its devices
  double products_s = 0;
  double generated_bytes = 0;
  double stored_bytes = 0;
  HostNeeds host;
};

class PlanBound {
 public:
  PlanBound(const Plan& plan, const Contraction& contraction, const Machine& machine,
            const CountFunction& progress)
      : machine_(machine),
        generation_(machine, contraction.sources.b == Source::in_file),
        gpu_(machine.platform.device.kind == DeviceKind::gpu) {
    NeedsCounter counter(plan, contraction, machine, progress);
    for (std::size_t r = 0; r < plan.ranks.size(); ++r) {
      auto& devices = needs_.emplace_back();
      for (const DevicePlan& device : plan.ranks[r].devices)
        devices.push_back(counter.blocks(Rank::of(r), device));
      ranks_.push_back(sum(devices, counter.host()));
    }
    Tails tails(plan, contraction, machine, needs_);
    add_chains(tails);
    for (std::size_t r = 0; r < ranks_.size(); ++r) add_rank(Rank::of(r));
    add_nodes();
    add_messages(tails);
  }

  const Bound& bound() const { return bound_; }

 private:
  template <class... Numbers>
  void add(double seconds, const BoundWork& work, const char* limit, Numbers... numbers) {
    if (seconds > bound_.seconds) bound_ = {seconds, fmt::format(fmt::runtime(limit), numbers...), work};
  }

  static RankNeeds sum(const std::vector<std::vector<BlockNeeds>>& devices, const HostNeeds& host) {
    RankNeeds sum;
    sum.host = host;
    for (const auto& blocks : devices) {
      for (const BlockNeeds& block : blocks) {
        sum.manager_s += block.load_manager_s + block.store_manager_s;
        sum.generated_bytes += block.generated_bytes;
        sum.stored_bytes += block.stored_bytes;
        for (const ChunkNeeds& chunk : block.chunks) sum.products_s += chunk.products_s;
      }
    }
    return sum;
  }

  void add_chains(const Tails& tails) {
    for (std::size_t r = 0; r < needs_.size(); ++r) {
      for (std::size_t d = 0; d < needs_[r].size(); ++d)
        add(tails.of_device(Rank::of(r), Device::of(d)), kBlocks, "the blocks of rank {}, device {}", r, d);
    }
    add(tails.longest_s(), kAll, "a chain of messages and products");
  }

  void add_rank(Rank rank) {
    const Platform& p = machine_.platform;
    const RankNeeds& needs = ranks_[rank];
    for (std::size_t d = 0; d < needs_[rank].size(); ++d) add_device(rank, needs_[rank][d], d);
    const double generation_s = generation_.core_s(needs.generated_bytes);
    const double cores = machine_.cores_per_rank();
    if (gpu_) {
      add((needs.manager_s + needs.host.blocked_s) / static_cast<double>(needs_[rank].size()), kCopies,
          "copies to the devices of rank {}", rank);
      if (!generation_.on_device())
        add(generation_s / cores, kGeneration, "generation on the cores of rank {}", rank);
    } else {
      add(generation_s / p.solo_speedup / cores + needs.products_s / cores, kCores, "the cores of rank {}",
          rank);
    }
  }

  /// What the blocks have to do together.
  void add_device(Rank rank, const std::vector<BlockNeeds>& blocks, std::size_t device) {
    const Platform& p = machine_.platform;
    BlockNeeds all;
    for (const BlockNeeds& block : blocks) {
      all.gpu = block.gpu;
      all.load_manager_s += block.load_manager_s;
      all.store_manager_s += block.store_manager_s;
      all.host_bytes += block.host_bytes;
      all.loaded_bytes += block.loaded_bytes;
      all.stored_bytes += block.stored_bytes;
      all.generated_bytes += block.generated_bytes;
    }
    add(all.load_manager_s + all.store_manager_s, kCopies, "copies of rank {}, device {}", rank, device);
    if (!all.gpu) return;
    add(device_to_host_s(p, all.stored_bytes), kCopies, "stores of rank {}, device {}", rank, device);
    if (generation_.on_device())
      add(generation_.device_s(all.generated_bytes), kGeneration, "generation on rank {}, device {}", rank,
          device);
    if (p.runtime.unpinned.any()) return;  // copies that use no links
    add(host_to_device_s(p, all.host_bytes), kCopies, "loads of rank {}, device {}", rank, device);
    add(device_loads_s(p, all.loaded_bytes, machine_.devices_per_rank - 1), kCopies,
        "loads of rank {}, device {}", rank, device);
    add(over(all.host_bytes + all.stored_bytes, p.links.both_ways_bytes_per_s), kCopies,
        "copies of rank {}, device {}", rank, device);
  }

  /// What the ranks of a node share.
  void add_nodes() {
    const Platform& p = machine_.platform;
    for (int node = 0; node < machine_.nodes(); ++node) {
      RankNeeds sum;
      for (std::size_t r = 0; r < ranks_.size(); ++r) {
        if (machine_.node_of(Rank::of(r)) != node) continue;
        sum.products_s += ranks_[r].products_s * p.solo_speedup;
        sum.generated_bytes += ranks_[r].generated_bytes;
        sum.stored_bytes += ranks_[r].stored_bytes;
        sum.host.bytes += ranks_[r].host.bytes;
      }
      add(generation_.file_s(sum.generated_bytes), kGeneration, "reading on node {}", node);
      if (!gpu_) {
        add((generation_.core_s(sum.generated_bytes) + sum.products_s) / p.cores_per_node(), kCores,
            "the cores of node {}", node);
        continue;
      }
      add(socket_copies_s(p, sum.stored_bytes, p.sockets), kCopies, "stores on node {}", node);
      if (p.runtime.unpinned.any()) continue;
      add(socket_copies_s(p, sum.host.bytes, p.sockets), kCopies, "loads on node {}", node);
      add(host_memory_s(p, sum.host.bytes + sum.stored_bytes, p.sockets), kCopies, "the memory of node {}",
          node);
    }
  }

  void add_messages(Tails& tails) {
    struct RankMessages {
      Serial software, sent, received, near;
    };
    const Serial none(tails.longest_s());
    std::vector<RankMessages> ranks(ranks_.size(), {none, none, none, none});
    std::vector<double> injected(machine_.nodes(), 0.0), ejected(injected);
    tails.for_each_edge([&](const MessageEdge& edge) {
      ranks[edge.from].software.add(edge.software_s, edge.behind_send_s);
      ranks[edge.to].software.add(edge.software_s, edge.behind_s);
      const double wire_s =
          over(edge.bytes, least_message_link(machine_, edge.from, edge.to).bandwidth_bytes_per_s);
      if (machine_.node_of(edge.from) == machine_.node_of(edge.to)) {
        ranks[edge.from].near.add(wire_s, edge.behind_wire_s);
        return;
      }
      ranks[edge.from].sent.add(wire_s, edge.behind_wire_s);
      ranks[edge.to].received.add(wire_s, edge.behind_wire_s);
      injected[machine_.node_of(edge.from)] += edge.bytes;
      ejected[machine_.node_of(edge.to)] += edge.bytes;
    });
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      add(ranks[r].software.bound(), kMessages, "software cost of messages of rank {}, and what follows", r);
      add(ranks[r].sent.bound(), kMessages, "messages of rank {} to other nodes, and what follows", r);
      add(ranks[r].received.bound(), kMessages, "messages of other nodes to rank {}, and what follows", r);
      add(ranks[r].near.bound(), kMessages, "messages of rank {} in its node, and what follows", r);
    }
    for (std::size_t node = 0; node < injected.size(); ++node)
      add(node_port_s(machine_.platform, std::max(injected[node], ejected[node])), kMessages,
          "messages of node {}", node);
  }

  const Machine& machine_;
  GenerationTimes generation_;
  bool gpu_;
  AllNeeds needs_;
  std::vector<RankNeeds> ranks_;
  Bound bound_;
};

Bound bound_of_any_plan(const Plan& plan, const Contraction& contraction, const Machine& machine) {
  return problem_bound(contraction, machine, {plan.operands.a.source, plan.operands.b.source},
                       {.partial_sums = plan.partial_sums, .cores_beside = cores_beside(plan, machine)});
}

}  // namespace

Bound plan_bound(const Plan& plan, const Contraction& contraction, const Machine& machine,
                 const CountFunction& progress) {
  // Who works on which block shows in the run.
  if (plan.pool == Pool::open) return bound_of_any_plan(plan, contraction, machine);
  return PlanBound(plan, contraction, machine, progress).bound();
}

Bounds bounds_of(const Plan& plan, const Contraction& contraction, const Machine& machine,
                 const CountFunction& progress) {
  const Bound problem = bound_of_any_plan(plan, contraction, machine);
  const Bound plan_alone = plan_bound(plan, contraction, machine, progress);
  return {plan_alone.seconds > problem.seconds ? plan_alone : problem, problem};
}

}  // namespace foretile
