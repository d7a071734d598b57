// What is done where and in which order: plain data that knows no MPI, no CUDA and no SimGrid.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "planner/grid.hpp"
#include "planner/shape.hpp"

namespace foretile {

/// Tiles of A streamed through a device beside its block (RR-9365 3.2.3). The products of a chunk are
/// implied: for each A_ik in order, for each column j of the block in order, B_kj nonzero and C_ij kept.
struct Chunk {
  std::vector<TileId> a;
};

/// Columns of B and C that stay on a device while the block is worked on (RR-9365 3.2.2).
struct Block {
  std::vector<std::int32_t> columns;  ///< increasing
  std::vector<Chunk> chunks;
};

struct DevicePlan {
  std::vector<Block> blocks;
};

/// Tiles of A that one rank sends, as one message, to the same other ranks along a tree.
struct Broadcast {
  std::vector<TileId> tiles;
  std::vector<int> destinations;  ///< ranks without the owner, in tree order
};

struct RankPlan {
  std::vector<DevicePlan> devices;
  std::vector<Broadcast> broadcasts;  ///< of tiles that this rank owns, in sending order
};

/// Chunk `chunk` of block `block`; -1 as chunk stands for the end of the block.
struct ChunkPlace {
  int rank = 0;
  int device = 0;
  int block = 0;
  int chunk = 0;
};

/// `after` may start only when `before` has ended, beyond the order that every plan implies.
struct ControlEdge {
  ChunkPlace before;
  ChunkPlace after;
};

struct Plan {
  std::string strategy;
  Settings parameters;  ///< every parameter with the value used
  ProcessGrid grid;
  int lookahead = 1;  ///< chunks loaded ahead of the one worked on
  std::int64_t device_budget_bytes = 0;
  std::int64_t host_budget_bytes = 0;  ///< per rank
  std::int64_t staging_bytes = 0;      ///< of host_budget: generated tiles not yet on a device
  std::int64_t copy_batch_bytes = 0;   ///< neighbouring loads are joined to copies of about this size
  std::vector<RankPlan> ranks;
  std::vector<ControlEdge> extra_edges;  ///< barriers
};

}  // namespace foretile
