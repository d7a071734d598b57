// Tiles in one rank's host memory.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "executor/message_buffer.hpp"
#include "executor/tile_buffer.hpp"
#include "planner/contraction.hpp"
#include "planner/plan.hpp"

namespace foretile {

/// A's tiles lie in the messages that brought them, or that take them away; own tiles that nobody else needs
/// lie apart.
class HostStore {
 public:
  /// Makes the own tiles of A that the rank or others use, and the messages with them.
  HostStore(const Contraction& contraction, const Plan& frame, const RankPlan& plan, int rank);

  double* a(TileId id) const { return a_.at(id); }
  /// The buffer of a broadcast that this rank owns or has received.
  const MessageBuffer& message(int owner, int number) const { return *messages_.at({owner, number}); }
  /// Keeps a received message and its tiles.
  void keep(std::shared_ptr<MessageBuffer> message);

  std::unordered_map<TileId, TileBuffer> staged_b;
  std::unordered_map<TileId, TileBuffer> c;  ///< finished tiles

 private:
  struct PairHash {
    std::size_t operator()(const std::pair<int, int>& p) const {
      return static_cast<std::size_t>(p.first) * 1000003U + static_cast<std::size_t>(p.second);
    }
  };
  const Contraction& problem_;
  std::unordered_map<TileId, double*> a_;
  std::vector<TileBuffer> apart_;
  std::unordered_map<std::pair<int, int>, std::shared_ptr<MessageBuffer>, PairHash> messages_;
};

}  // namespace foretile
