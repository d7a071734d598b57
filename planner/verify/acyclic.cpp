// SPDX-License-Identifier: BSD-3-Clause
#include <optional>

#include "planner/plan/graph/message_edges.hpp"
#include "planner/plan/graph/parts.hpp"
#include "planner/verify/pass.hpp"

namespace foretile {

namespace {

/// Without global barriers nothing precedes a message of given tiles, so that none is part of a cycle. With
/// them, the other passes imply that there is none: steps increase along a device, and no message is of a
/// later step than the chunks that use it. This pass sees it without them, as tiles that another term makes
/// will need.
class Acyclic final : public VerifyPass {
 public:
  explicit Acyclic(const VerifyView& view) : VerifyPass(view) {
    add_blocks(plan_, parts_);
    if (plan_.barriers == Barriers::global) messages_.emplace(plan_, problem_, parts_);
  }

  void open(Rank rank) override {
    if (messages_) messages_->open(rank);
  }
  void block(const WalkedBlock& walked, const std::string&) override {
    if (!messages_) return;
    for (std::size_t z = 0; z < walked.tiles.b.size(); ++z, ++node_) {
      const Chunk& chunk = walked.block->chunks[z];
      messages_->use(Matrix::a, chunk.a, node_);
      if (!plan_.operands.b.generated()) messages_->use(Matrix::b, walked.tiles.b[z], node_);
    }
    ++node_;  // the block's store
  }
  void finish(PlanSummary&) override {
    add_barriers(plan_, parts_);
    require_acyclic(compress(parts_));
  }

 private:
  GraphParts parts_;
  std::optional<MessageEdges> messages_;
  std::size_t node_ = 0;  // of the next chunk, in the order of add_blocks()
};

}  // namespace

Pass acyclic_pass(const VerifyView& view) {
  return std::make_unique<Acyclic>(view);
}

}  // namespace foretile
