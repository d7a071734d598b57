// SPDX-License-Identifier: BSD-3-Clause
// How long it takes at least from the nodes of a plan's graph to its end.
#pragma once

#include <functional>
#include <vector>

#include "planner/bound/device_needs.hpp"
#include "planner/plan/graph/graph.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "platforms/machine.hpp"

namespace foretile {

/// By rank, device and block.
using AllNeeds = std::vector<std::vector<std::vector<BlockNeeds>>>;

/// One message on its way along an edge of its tree, for those who add up what ranks have to do.
struct MessageEdge {
  Rank from, to;
  double bytes;
  double software_s;     ///< at either end
  double behind_send_s;  ///< what follows at least when the sender's software is done
  double behind_wire_s;  ///< when the message has arrived
  double behind_s;       ///< when the receiver's software is done
};
using EdgeFunction = std::function<void(const MessageEdge&)>;

/// Devices do blocks in the order of the plan. Those of a program (PlanFrame::flows()) are done in any order:
/// there nothing follows a block, and a device has its products alone to do.
class Tails {
 public:
  /// References must outlive this object.
  Tails(const Plan& plan, const Contraction& contraction, const Machine& machine, const AllNeeds& needs);

  /// From the begin of a device's first block.
  double of_device(Rank rank, Device device) const {
    return devices_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(device)];
  }
  /// From the begin of any node.
  double longest_s() const { return longest_s_; }
  void for_each_edge(const EdgeFunction& visit);

 private:
  void visit(std::size_t v);
  void visit_chunk(std::size_t v);
  void visit_store(std::size_t v);
  double behind(std::size_t v) const;
  double walk_tree(std::size_t v, const EdgeFunction& visit);
  void find_uses(std::size_t v, const Transfer& transfer);
  double loads_s(const BlockNeeds& block) const;
  const BlockNeeds& block_of(std::size_t v) const;

  const Plan& plan_;
  const Contraction& p_;
  const Machine& machine_;
  const AllNeeds& needs_;
  PlanGraph graph_;
  std::vector<double> rest_;   // from the begin of a chunk's products, of a store, of a message
  std::vector<double> begin_;  // of first chunks: from the begin of the block
  std::vector<double> loads_;  // of chunks: from the end of its loads
  std::vector<std::vector<double>> devices_;
  double longest_s_ = 0;
  std::vector<double> used_s_, behind_s_;  // by position in a tree
  std::vector<int> position_;              // by rank
};

}  // namespace foretile
