// SPDX-License-Identifier: BSD-3-Clause
// What the verifier proves about streamed plans, once more by counting everything at every moment.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "planner/plan/owners.hpp"
#include "tests/planner/verify/random_stream_plan.hpp"

namespace foretile {

namespace slow {

struct ChunkAt {
  std::size_t block;
  std::set<std::pair<Matrix, TileId>> tiles;
};

struct SlowDevice {
  std::vector<ChunkAt> chunks;
  std::vector<std::set<TileId>> c;  // per block
};

inline SlowDevice device_of(const DevicePlan& plan, const Contraction& p) {
  SlowDevice device;
  for (std::size_t n = 0; n < plan.blocks.size(); ++n) {
    device.c.emplace_back();
    for (const Chunk& chunk : plan.blocks[n].chunks) {
      device.chunks.push_back({n, {}});
      for (const TileId a : chunk.a) {
        device.chunks.back().tiles.insert({Matrix::a, a});
        for (const std::int32_t j : plan.blocks[n].columns) {
          const auto b = p.b.find(p.a.column_of(a), j);
          const auto c = p.c.find(p.a.row_of(a), j);
          if (!b || !c) continue;
          device.chunks.back().tiles.insert({Matrix::b, *b});
          device.c.back().insert(*c);
        }
      }
    }
  }
  return device;
}

}  // namespace slow

/// Most bytes of any device while each chunk is worked on and the next `lookahead` are there.
inline std::int64_t slow_device_peak(const Plan& plan, const Contraction& p) {
  std::int64_t most = 0;
  for (const RankPlan& rank : plan.ranks) {
    for (const DevicePlan& device_plan : rank.devices) {
      const slow::SlowDevice device = slow::device_of(device_plan, p);
      for (std::size_t z = 0; z < device.chunks.size(); ++z) {
        std::set<std::pair<Matrix, TileId>> there;
        std::set<std::size_t> blocks{device.chunks[z].block};
        for (std::size_t y = z; y < device.chunks.size() && y - z <= static_cast<std::size_t>(plan.lookahead);
             ++y) {
          there.insert(device.chunks[y].tiles.begin(), device.chunks[y].tiles.end());
          if (plan.prefetch_c) blocks.insert(device.chunks[y].block);
        }
        for (const std::size_t n : blocks) {
          for (const TileId c : device.c[n]) there.insert({Matrix::c, c});
        }
        std::int64_t bytes = 0;
        for (const auto& [matrix, id] : there) bytes += bytes_of(p, {matrix, id});
        most = std::max(most, bytes);
      }
    }
  }
  return most;
}

/// Most bytes of any rank, over each first open step that occurs.
inline std::int64_t slow_host_peak(const Plan& plan, const Contraction& p) {
  std::int64_t most = 0;
  for (Rank rank = 0; rank < plan.grid.size(); ++rank) {
    std::int64_t fixed = 0;
    for (const Matrix matrix : {Matrix::a, Matrix::b}) {
      for (TileId id = 0; id < shape_of(p, matrix).nonzeros(); ++id) {
        if (owner_of(p, plan, {matrix, id}) == rank) fixed += bytes_of(p, {matrix, id});
      }
    }
    for (const DevicePlan& device : plan.ranks[rank].devices) {
      for (const auto& block : slow::device_of(device, p).c) {
        for (const TileId c : block) fixed += p.c_bytes(c);
      }
    }
    std::set<std::int64_t> moments{0};
    for (const RankPlan& sender : plan.ranks) {
      for (const Transfer& message : sender.transfers) {
        for (int s = -plan.lookahead; s <= 0; ++s)
          moments.insert(static_cast<std::int64_t>(message.step) + s);
      }
    }
    for (const std::int64_t t : moments) {
      std::int64_t bytes = fixed;
      for (const RankPlan& sender : plan.ranks) {
        for (const Transfer& message : sender.transfers) {
          const auto to = std::count(message.others.begin(), message.others.end(), rank);
          const bool there = plan.barriers != Barriers::global ||
                             (message.step <= t + plan.lookahead && message.last_step >= t);
          if (!there) continue;
          for (const TileId id : message.tiles) bytes += to * bytes_of(p, {message.matrix, id});
        }
      }
      most = std::max(most, bytes);
    }
  }
  return most;
}

/// Whether each use of a tile that a rank does not own is covered by exactly one message to it, and each
/// message is used.
inline bool slow_deliveries_right(const Plan& plan, const Contraction& p) {
  for (Rank rank = 0; rank < plan.grid.size(); ++rank) {
    const StepsOfTile uses = uses_of(plan, p, rank);
    std::map<std::pair<Matrix, TileId>, std::vector<std::pair<std::int64_t, std::int64_t>>> sent;
    for (const RankPlan& sender : plan.ranks) {
      for (const Transfer& message : sender.transfers) {
        for (const int to : message.others) {
          if (to != rank) continue;
          for (const TileId id : message.tiles)
            sent[{message.matrix, id}].push_back({message.step, message.last_step});
        }
      }
    }
    const bool none = plan.barriers == Barriers::none;
    for (const auto& [tile, steps] : uses) {
      if (owner_of(p, plan, {tile.first, tile.second}) == rank) continue;
      for (const Step step : steps) {
        const auto& all = sent[tile];
        const auto covering = std::count_if(all.begin(), all.end(), [&](const auto& interval) {
          return none || (interval.first <= step && step <= interval.second);
        });
        if (covering != 1) return false;
      }
    }
    for (const auto& [tile, intervals] : sent) {
      const auto used = uses.find(tile);
      if (used == uses.end() || owner_of(p, plan, {tile.first, tile.second}) == rank) return false;
      for (const auto& [first, last] : intervals) {
        const auto step = used->second.lower_bound(Step::of(first));
        if (!none && (step == used->second.end() || *step > last)) return false;
        // Every other one begins when this is gone.
        for (const auto& [other, other_last] : intervals) {
          if (other > first && other <= last + plan.lookahead) return false;
        }
      }
    }
  }
  return true;
}

inline bool slow_steps_right(const Plan& plan) {
  for (const RankPlan& rank : plan.ranks) {
    for (const DevicePlan& device : rank.devices) {
      std::int64_t before = -1;
      for (const Block& block : device.blocks) {
        for (const Chunk& chunk : block.chunks) {
          if (plan.barriers != Barriers::none && chunk.step <= before) return false;
          before = chunk.step;
        }
      }
    }
  }
  return true;
}

}  // namespace foretile
