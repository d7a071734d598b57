// SPDX-License-Identifier: BSD-3-Clause
// Messages as nodes of the plan's graph, and the edges to the chunks that use what they bring.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "planner/plan/graph/parts.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/problem/tile_ref.hpp"

namespace foretile {

/// Edges for one rank after the other.
class MessageEdges {
 public:
  /// Adds a node for each message, rank by rank in sending order. References must outlive this object.
  MessageEdges(const Plan& plan, const Contraction& contraction, GraphParts& parts);

  void open(Rank rank);
  /// The rank's chunk with this node uses these tiles: adds data edges from the messages that bring them for
  /// its step. Where none does, the edge is from a message of a later step: the chunk would wait for it. One
  /// edge for each message, as long as the chunks come one after the other. Without barriers steps have no
  /// meaning: whatever arrives, arrives for all chunks.
  void use(Matrix matrix, const std::vector<TileId>& tiles, std::size_t chunk);
  /// Nothing arrives at the rank.
  bool none() const { return arrivals_.empty(); }

 private:
  struct Sent {
    const Transfer* message;
    std::size_t node;
  };
  struct Arrival {
    Step step;
    Step last_step;
    std::size_t sent;   // position in to_rank_
    std::int32_t next;  // with the same tile; -1: none
    TileRef tile;
  };
  std::vector<std::int32_t>& newest(Matrix matrix) { return newest_[static_cast<std::size_t>(matrix)]; }
  void use(TileRef tile, Step step, std::size_t chunk);

  const Plan& plan_;
  GraphParts& parts_;
  std::vector<std::vector<Sent>> to_rank_;
  std::array<std::vector<std::int32_t>, 2> newest_;  // per tile of A and B, into arrivals_; -1: none
  std::vector<Arrival> arrivals_;
  std::vector<std::size_t> used_by_;  // of the open rank's messages: the last chunk with an edge
  Rank rank_ = 0;
};

}  // namespace foretile
