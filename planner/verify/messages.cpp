// SPDX-License-Identifier: BSD-3-Clause
#include "planner/verify/messages.hpp"

#include <fmt/format.h>

#include "planner/plan/owners.hpp"
#include "planner/verify/pass.hpp"

namespace foretile {

Owners::Owners(const Plan& plan, const Contraction& contraction) : b_(!plan.operands.b.generated()) {
  for (auto& bytes : bytes_) bytes.assign(plan.ranks.size(), 0);
  add(plan, contraction, Matrix::a);
  if (b_) add(plan, contraction, Matrix::b);
}

void Owners::add(const Plan& plan, const Contraction& contraction, Matrix matrix) {
  auto& owner = owner_[static_cast<std::size_t>(matrix)];
  auto& bytes = bytes_[static_cast<std::size_t>(matrix)];
  const TileId tiles = shape_of(contraction, matrix).nonzeros();
  owner.reserve(tiles);
  for (TileId id = 0; id < tiles; ++id) {
    const Rank rank = owner_of(contraction, plan, {matrix, id});
    owner.push_back(rank);
    bytes[rank] += own_bytes_of(contraction, plan, {matrix, id});
  }
}

namespace {

/// Returns the bytes of the tiles.
std::int64_t check_tiles(const Contraction& p, const Owners& owners, const Transfer& message, Rank rank) {
  const std::string where = fmt::format("rank {}", rank);
  if (message.kind != TransferKind::broadcast)
    throw broken_plan(where, "parts of C among the broadcasts",
                      "broadcasts alone: parts travel with the sums");
  if (message.tree > Tree::scatter)
    throw broken_plan(where, fmt::format("tree {}", static_cast<int>(message.tree)),
                      "binomial, chain, by_node or scatter");
  if (message.ranks_of_node < 1)
    throw broken_plan(where, fmt::format("{} ranks of a node", message.ranks_of_node), "at least 1");
  if (message.tiles.empty()) throw broken_plan(where, "a message without tiles", "at least one tile");
  if (!owners.distributed(message.matrix))
    throw broken_plan(where, "a message of a matrix that is not distributed",
                      "tiles of A, or of a streamed B");
  const TileId tiles = shape_of(p, message.matrix).nonzeros();
  std::int64_t bytes = 0;
  for (const TileId id : message.tiles) {
    if (id < 0 || id >= tiles || owners.of({message.matrix, id}) != rank) {
      throw broken_plan(where, fmt::format("a message with {} tile {}", name_of(message.matrix), id),
                        "its own tiles");
    }
    bytes += bytes_of(p, {message.matrix, id});
  }
  return bytes;
}

void check_steps(const Plan& plan, const Transfer& message, Rank rank) {
  const std::string where = fmt::format("rank {}", rank);
  if (message.step < 0 || message.step > message.last_step) {
    throw broken_plan(where, fmt::format("a message for steps {} to {}", message.step, message.last_step),
                      "a first step of at least 0 and no later than the last");
  }
  if (plan.barriers != Barriers::global && !plan.flows() && message.last_step != kEver) {
    throw broken_plan(where, fmt::format("a message with last step {}", message.last_step),
                      "tiles that stay for ever, since no global barrier says when the step is over");
  }
}

}  // namespace

Messages::Messages(const Plan& plan, const Contraction& contraction, const Owners& owners)
    : to_(plan.ranks.size()) {
  const int ranks = static_cast<int>(plan.ranks.size());
  for (Rank rank = 0; rank < ranks; ++rank) {
    Step step = 0;
    int of_owner = 0;
    for (const Transfer& message : plan.ranks[rank].transfers) {
      const std::int64_t bytes = check_tiles(contraction, owners, message, rank);
      check_steps(plan, message, rank);
      if ((plan.barriers == Barriers::global || plan.flows()) && message.step < step) {
        throw broken_plan(fmt::format("rank {}", rank),
                          fmt::format("a message for step {} after one for step {}", message.step, step),
                          "messages in the order of steps");
      }
      step = message.step;
      const auto number = static_cast<std::uint32_t>(all_.size());
      all_.push_back({&message, bytes, rank, of_owner++});
      for (const int to : message.others) {
        if (to < 0 || to >= ranks) {
          throw broken_plan(fmt::format("rank {}", rank), fmt::format("a message to rank {}", to),
                            "an existing rank");
        }
        to_[to].push_back(number);
      }
    }
  }
}

}  // namespace foretile
