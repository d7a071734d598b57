// SPDX-License-Identifier: BSD-3-Clause
#include "planner/bound/tails.hpp"

#include <algorithm>

#include "planner/plan/graph/parts.hpp"
#include "platforms/cost/copy.hpp"
#include "platforms/cost/message.hpp"

namespace foretile {

Tails::Tails(const Plan& plan, const Contraction& contraction, const Machine& machine, const AllNeeds& needs)
    : plan_(plan),
      p_(contraction),
      machine_(machine),
      needs_(needs),
      graph_(build_graph(plan, contraction)),
      rest_(num_vertices(graph_), 0.0),
      begin_(rest_),
      loads_(rest_),
      position_(plan.ranks.size(), 0) {
  for (const auto& rank : needs) devices_.emplace_back(rank.size(), 0.0);
  for (const std::size_t v : reverse_order(graph_)) visit(v);
}

void Tails::for_each_edge(const EdgeFunction& visit) {
  for (std::size_t v = 0; v < rest_.size(); ++v) {
    if (graph_[v].kind == NodeKind::broadcast) walk_tree(v, visit);
  }
}

const BlockNeeds& Tails::block_of(std::size_t v) const {
  const ChunkPlace& at = graph_[v].place;
  return needs_[at.rank][at.device][at.block];
}

/// The longest of what comes after a node.
double Tails::behind(std::size_t v) const {
  double longest = 0;
  for (auto [e, end] = out_edges(v, graph_); e != end; ++e)
    longest = std::max(longest, rest_[target(*e, graph_)]);
  return longest;
}

void Tails::visit(std::size_t v) {
  switch (graph_[v].kind) {
    case NodeKind::chunk:
      visit_chunk(v);
      break;
    case NodeKind::store:
      visit_store(v);
      break;
    case NodeKind::broadcast:
      rest_[v] = walk_tree(v, {});
      break;
    case NodeKind::local_barrier:
    case NodeKind::global_barrier:
      rest_[v] = behind(v);
      break;
  }
  longest_s_ = std::max({longest_s_, rest_[v], begin_[v]});
}

/// The chunk's next one, or the store of its block, is the next node.
void Tails::visit_chunk(std::size_t v) {
  const ChunkPlace& at = graph_[v].place;
  const BlockNeeds& block = block_of(v);
  const ChunkNeeds& chunk = block.chunks[at.chunk];
  rest_[v] = chunk.products_s + behind(v);
  if (plan_.flows()) {
    devices_[at.rank][at.device] += chunk.products_s;
    return;
  }
  const bool last = at.chunk + 1 == static_cast<int>(block.chunks.size());
  loads_[v] = last ? chunk.shortest_s + rest_[v + 1] : block.chunks[at.chunk + 1].manager_s + loads_[v + 1];
  if (at.chunk > 0) return;
  begin_[v] = block.first_load_s + rest_[v];
  const auto& blocks = needs_[at.rank][at.device];
  const std::size_t next = v + block.chunks.size() + 1;
  const bool another = at.block + 1 < static_cast<int>(blocks.size());
  if (!plan_.operands.b.streams())
    begin_[v] = std::max(begin_[v], loads_s(block) + (another ? begin_[next] : 0.0));
  if (at.block == 0)
    devices_[at.rank][at.device] = std::max(begin_[v], block.generation_s + block.first_load_s + rest_[v]);
}

/// The next block may begin while C of this one is written back. Where B stays, its loads begin only then.
void Tails::visit_store(std::size_t v) {
  double next = 0;
  for (auto [e, end] = out_edges(v, graph_); e != end && !plan_.flows(); ++e) {
    const std::size_t to = target(*e, graph_);
    next = std::max(next, plan_.operands.b.streams() ? rest_[to] : begin_[to]);
  }
  rest_[v] = std::max(block_of(v).last_store_s, next);
}

/// Of a block whose B stays, between the end of the last one's products and that of its own: all of its
/// loads.
double Tails::loads_s(const BlockNeeds& block) const {
  const Platform& p = machine_.platform;
  double seconds = block.load_manager_s;
  if (!block.gpu) return seconds;
  const GenerationTimes generation(machine_, p_.sources.b == Source::in_file);
  if (generation.on_device()) seconds = std::max(seconds, generation.device_s(block.generated_bytes));
  if (p.runtime.unpinned.any()) return seconds;  // such copies use no links
  return std::max(seconds, host_to_device_s(p, block.host_bytes));
}

/// What the message's receivers do at least when they have it: products of the first chunk that uses one of
/// its tiles may all be done but one.
void Tails::find_uses(std::size_t v, const Transfer& transfer) {
  used_s_.assign(transfer.others.size() + 1, 0.0);
  for (std::size_t n = 0; n < transfer.others.size(); ++n)
    position_[transfer.others[n]] = static_cast<int>(n) + 1;
  for (auto [e, end] = out_edges(v, graph_); e != end; ++e) {
    const std::size_t to = target(*e, graph_);
    const ChunkNeeds& chunk = block_of(to).chunks[graph_[to].place.chunk];
    // What streams again for each block may still be on the device.
    const bool copied = block_of(to).gpu && !plan_.operands.b.streams();
    const double copy_s = copied ? machine_.platform.runtime.copy_overhead_s : 0.0;
    double& used_s = used_s_[position_[graph_[to].place.rank]];
    used_s =
        std::max({used_s, copy_s + chunk.shortest_s + rest_[to] - chunk.products_s, copy_s + loads_[to]});
  }
}

/// From the leaves of the tree to its root. A rank serves its children one after the other. Returns the time
/// from the begin of the first one's software at the owner.
double Tails::walk_tree(std::size_t v, const EdgeFunction& visit) {
  const ChunkPlace& at = graph_[v].place;
  const Transfer& transfer = plan_.ranks[at.rank].transfers[at.chunk];
  find_uses(v, transfer);
  double bytes = 0;
  for (const TileId id : transfer.tiles) bytes += static_cast<double>(bytes_of(p_, {transfer.matrix, id}));
  const double software_s = message_software_s(machine_.platform, transfer.tiles.size());
  const auto rank_at = [&](int position) { return position == 0 ? at.rank : transfer.others[position - 1]; };
  const int size = static_cast<int>(transfer.others.size()) + 1;
  behind_s_.assign(size, 0.0);
  for (int position = size - 1; position >= 0; --position) {
    const Rank from = rank_at(position);
    double sends_s = 0;  // from the begin of the software of the next child
    const std::vector<int> children = children_of(transfer, at.rank, position);
    for (auto child = children.rbegin(); child != children.rend(); ++child) {
      const Rank to = rank_at(*child);
      const double arrived_s = software_s + behind_s_[*child];
      const double sent_s =
          std::max(link_seconds(least_message_link(machine_, from, to), bytes) + arrived_s, sends_s);
      if (visit) visit({from, to, bytes, software_s, sent_s, arrived_s, behind_s_[*child]});
      sends_s = software_s + sent_s;
    }
    behind_s_[position] = std::max(used_s_[position], sends_s);
  }
  return behind_s_[0];
}

}  // namespace foretile
