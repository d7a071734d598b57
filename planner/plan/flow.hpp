// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Work on cores between the products of a plan: what C of one product has to do with A and B of a later one.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/plan/transfer.hpp"
#include "planner/problem/tile_ref.hpp"
#include "planner/tensor/axis_order.hpp"

namespace foretile {

struct PlanFrame;

/// One of the tensors of which tiles of A and B are made, and to which tiles of C are added.
struct PlanTensor {
  TileId first = 0;        ///< of its tiles, whose numbers follow each other
  Step from = 0,           ///< it is in memory from this step on
      end = 0;             ///< the step behind the last
  bool on_demand = false;  ///< no rank keeps its tiles: each is generated for every task that reads it
};

/// All of them. Tiles are numbered tensor by tensor; their sizes are Contraction::t_elements.
struct PlanTensors {
  std::vector<PlanTensor> list;  ///< the tensors, in the order of their tiles
  std::vector<Rank> owners;      ///< by tile: the rank that has it, and whose tasks add to it
  int tasks_at_once = 1;         ///< of a rank, at most: its cores

  /// Which tensor of the list the tile belongs to.
  std::size_t tensor_of(TileId tile) const;
  /// Whether a task of `rank` that reads the tile waits for a message.
  bool comes_to(Rank rank, TileId tile) const {
    return owners[static_cast<std::size_t>(tile)] != rank && !list[tensor_of(tile)].on_demand;
  }
};

/// A rank's core copies or permutes a tile of a tensor to one of A, B or C, or adds one of C to it: of
/// `reads` and `writes` exactly one is of a tensor. Axis p of what is written is axis order.from[p] of what
/// is read, times `factor`, which counts the sign of the order, too.
struct FlowTask {
  std::int32_t after = -1;  ///< the rank's last task before that adds to the tensor's tile; -1: none here
  Step step = 0;            ///< the step that it belongs to
  TileRef reads = {};       ///< of a tensor, or a finished tile of C: of this rank, or from another
  TileRef writes = {};  ///< of a tensor, or one of the rank's that is there from then on, until its step ends
  double factor = 1;    ///< of what is read
  AxisOrder order = {};  ///< of the axes; by it the tile is permuted

  /// Whether it adds a tile of C to a tensor.
  bool adds() const { return writes.matrix == Matrix::t; }
  /// Whether it makes a tile of A or B.
  bool makes_operand() const { return writes.matrix == Matrix::a || writes.matrix == Matrix::b; }
  /// The tile of the tensor, read or written.
  TileId tensor_tile() const { return adds() ? writes.id : reads.id; }
  /// What is read is written as it is.
  bool copies() const { return factor == 1 && order.is_identity(); }
};

/// Whether its tile of A, B or C is the tensor's (OperandPlan::in_place), so that cores have nothing to do.
bool is_in_place(const PlanFrame& frame, const FlowTask& task);

/// What a task takes.
struct TaskWork {
  std::int64_t bytes = 0;            ///< that are copied, permuted or added; 0: the tile is in place
  std::int64_t generated_bytes = 0;  ///< before, of a tensor on demand
  bool permutes = false;             ///< indices get another order
};
/// Of a task of a plan that verifies.
TaskWork work_of(const PlanFrame& frame, const Contraction& contraction, const FlowTask& task);

/// Whether all devices are GPUs with memory of their own, which permute tiles in place when they load and
/// store them.
bool gpus_permute(const PlanFrame& frame);

/// A rank's part of a plan whose products depend on each other (PlanFrame::steps).
struct RankFlow {
  std::vector<FlowTask> tasks;  ///< steps do not decrease; those that are ready start in this order
  /// Single tiles of C or of tensors that the rank owns, each to one rank whose tasks read it in that step. A
  /// tile of a tensor goes out behind the last task that adds to it.
  std::vector<Transfer> results;
};

}  // namespace foretile
