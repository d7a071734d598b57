// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/redistribution_cost.hpp"

#include <algorithm>
#include <vector>

#include "planner/plan/owners.hpp"
#include "planner/plan/products.hpp"
#include "platforms/cost/message.hpp"

namespace foretile {

namespace {

/// Messages of one step that all travel at once.
class Movement {
 public:
  explicit Movement(const Machine& machine)
      : machine_(machine), nodes_(static_cast<std::size_t>(machine.counted_nodes())) {}

  void move(Rank from, Rank to, std::int64_t bytes) {
    if (from == to) return;
    bytes_ += bytes;
    const auto out = static_cast<std::size_t>(machine_.counted_node_of(from));
    const auto in = static_cast<std::size_t>(machine_.counted_node_of(to));
    if (out == in) {
      nodes_[out].inside += bytes;
      return;
    }
    between_ += bytes;
    nodes_[out].sent += bytes;
    nodes_[in].received += bytes;
  }

  void add_to(RedistributionCost& sum) const {
    double longest = 0;
    for (const Node& node : nodes_)
      longest = std::max(
          {longest, node_port_s(machine_.platform, static_cast<double>(std::max(node.sent, node.received))),
           inside_node_s(machine_, static_cast<double>(node.inside))});
    sum.bytes += bytes_;
    sum.between_nodes_bytes += between_;
    sum.seconds += longest;
  }

 private:
  struct Node {
    std::int64_t sent = 0, received = 0, inside = 0;
  };
  const Machine& machine_;
  std::vector<Node> nodes_;
  std::int64_t bytes_ = 0, between_ = 0;
};

/// Where C is not summed of parts it is where its products are.
std::vector<Rank> ranks_of_c(const Contraction& p, const Plan& plan) {
  std::vector<Rank> ranks;
  for (TileId tile = 0; tile < p.c.nonzeros(); ++tile) ranks.push_back(owner_of(p, plan, {Matrix::c, tile}));
  for (std::size_t rank = 0; rank < plan.ranks.size() && !plan.partial_sums; ++rank) {
    for (const DevicePlan& device : plan.ranks[rank].devices)
      for_each_product(p, device,
                       [&](const Product& x) { ranks[static_cast<std::size_t>(x.c)] = Rank::of(rank); });
  }
  return ranks;
}

}  // namespace

RedistributionCost redistribution_cost(const Contraction& p, const Machine& machine,
                                       const GivenDistributions& given, const Plan& plan) {
  Movement before(machine), behind(machine);
  const std::vector<Rank> ranks = ranks_of_c(p, plan);
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
    if (plan.operands.of(matrix).generated()) continue;
    for (TileId id = 0; id < shape_of(p, matrix).nonzeros(); ++id) {
      const TileRef tile{matrix, id};
      const Rank here = owner_of(p, given.grid, given.of(matrix), tile);
      const Rank there = matrix == Matrix::c ? ranks[static_cast<std::size_t>(id)] : owner_of(p, plan, tile);
      const std::int64_t bytes = bytes_of(p, tile);
      if (matrix != Matrix::c || p.reads_c()) before.move(here, there, bytes);
      if (matrix == Matrix::c) behind.move(there, here, bytes);
    }
  }
  RedistributionCost sum;
  before.add_to(sum);
  behind.add_to(sum);
  return sum;
}

}  // namespace foretile
