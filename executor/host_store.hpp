// Tiles in one rank's host memory.
#pragma once

#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executor/message_buffer.hpp"
#include "executor/tile_buffer.hpp"
#include "planner/contraction.hpp"
#include "planner/plan.hpp"

namespace foretile {

/// Own tiles of A, and of B with BTiles::stream, lie here once, however often they are sent; received ones
/// lie in the messages that brought them.
class HostStore {
 public:
  /// Makes the own tiles that the rank or others use, and with Contraction::accumulate the initial tiles of C
  /// that the rank computes.
  HostStore(const Contraction& contraction, const Plan& frame, const RankPlan& plan, int rank);

  /// A tile of A, or of B with BTiles::stream, that is own or received.
  double* tile(TileRef tile) const { return distributed_.at(tile); }

  /// What to send for a broadcast that this rank owns or has received, piece by piece: valid until
  /// `release`, of an own one for good.
  std::vector<std::span<const double>> message(int owner, int number) const;
  /// Keeps a received message and its tiles.
  void keep(std::shared_ptr<MessageBuffer> message);
  /// Frees a received message and its tiles.
  void release(int owner, int number);

  std::unordered_map<TileId, TileBuffer> staged_b;
  std::unordered_map<TileId, TileBuffer> c;  ///< initial tiles until the device has them, then finished ones

 private:
  struct PairHash {
    std::size_t operator()(const std::pair<int, int>& p) const {
      return static_cast<std::size_t>(p.first) * 1000003U + static_cast<std::size_t>(p.second);
    }
  };
  struct Outgoing {
    TileBuffer header;
    Broadcast broadcast;
  };
  void make_own(TileRef tile);
  void make_used(const Plan& frame, const DevicePlan& device);

  const Contraction& problem_;
  int rank_;
  std::vector<TileBuffer> own_;
  std::vector<Outgoing> outgoing_;
  std::unordered_map<TileRef, double*, TileRefHash> distributed_;
  std::unordered_map<std::pair<int, int>, std::shared_ptr<MessageBuffer>, PairHash> received_;
};

}  // namespace foretile
