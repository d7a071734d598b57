// SPDX-License-Identifier: BSD-3-Clause
// What the verifier is a list of: proofs that all look at the same walk through a plan.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/progress.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/problem/tile_ref.hpp"
#include "planner/verify/block_walk.hpp"
#include "planner/verify/messages.hpp"
#include "planner/verify/verify.hpp"

namespace foretile {

/// A plan that no strategy of foretile makes.
inline InputError broken_plan(const std::string& where, const std::string& found, const std::string& expected,
                              const std::string& change = "this plan was not made by foretile; plan again") {
  return input_error("plan, " + where, found, expected, change);
}

/// "A", "B", "C" or "tensor".
inline const char* name_of(Matrix matrix) {
  switch (matrix) {
    case Matrix::a:
      return "A";
    case Matrix::b:
      return "B";
    case Matrix::c:
      return "C";
    case Matrix::t:
      break;
  }
  return "tensor";
}

/// The numbers that belong to no rank, on which all passes rely so that none reads out of bounds: the grid is
/// that of the ranks, every tile has an owner among them, operands are used as the scheduler can, no number
/// is negative, staging fits into the host's budget. Throws InputError.
void check_frame(const Plan& plan, const Contraction& contraction);

/// A part of check_frame(): sums name tiles, devices and ranks that exist. Throws InputError.
void check_sums(const Plan& plan, const Contraction& contraction);

/// A plan that check_frame() accepts, with what more than one pass asks. Throws
/// InputError for a message that makes no sense on its own.
struct VerifyView {
  VerifyView(const Plan& of, const Contraction& contraction)
      : plan(of), problem(contraction), owners(of, contraction), messages(of, contraction, owners) {}

  const Plan& plan;
  const Contraction& problem;
  Owners owners;
  Messages messages;
};

/// A device, its blocks walked. `name` is for errors: "rank 1 device 0".
struct DeviceView {
  std::string name;
  int device_class;
  std::int64_t memory_bytes;
  std::span<const WalkedBlock> blocks;
};

/// Every function throws InputError for what it finds wrong. They are called in this order: for each rank
/// open(), then for each of its devices block() for each block and device(), then close(); finish() at the
/// end.
class VerifyPass {
 public:
  explicit VerifyPass(const VerifyView& view) : view_(view), plan_(view.plan), problem_(view.problem) {}
  virtual ~VerifyPass() = default;

  virtual void open(Rank /*rank*/) {}
  /// `where` names the block: "rank 1 device 0 block 2".
  virtual void block(const WalkedBlock& /*walked*/, const std::string& /*where*/) {}
  virtual void device(const DeviceView& /*device*/) {}
  virtual void close(Rank /*rank*/) {}
  /// Adds what it counted.
  virtual void finish(PlanSummary& /*summary*/) {}

 protected:
  const VerifyView& view_;
  const Plan& plan_;
  const Contraction& problem_;
};

using Pass = std::unique_ptr<VerifyPass>;

/// What is to be called on a pass, and who calls it on all of them.
using PassCall = std::function<void(VerifyPass&)>;
using EachPass = std::function<void(const PassCall&)>;

/// Walks through the plan once and shows it to the passes, all but VerifyPass::finish(). Throws InputError
/// for what is wrong in a block by itself (planner/verify/block_walk.hpp). `progress` gets how many products
/// it has seen.
void walk_plan(const VerifyView& view, const EachPass& each, const CountFunction& progress = {});

/// With barriers, the steps of a device's chunks increase.
Pass steps_pass(const VerifyView& view);
/// Each tile of a B that is generated once at most by a rank.
Pass generated_once_pass(const VerifyView& view);
/// Every product is computed exactly once: each tile of C is in one block, and none of its products is
/// missing. (None comes twice in a block: see BlockWalk.) Where C is computed as partial sums, a bit for each
/// product tells.
Pass products_pass(const VerifyView& view);
/// Every given tile that a rank uses at a step is owned by it or there through exactly one message, and every
/// message is used (planner/verify/deliveries.hpp).
Pass sources_pass(const VerifyView& view);
/// Where C is computed as partial sums: a device, with a pool a rank, computes one part of a tile at most;
/// each rank with a part of a tile, and its owner where anyone has, lists it in one sum, with exactly the
/// devices that have parts of it; the sums of a tile form one tree, which ends at its owner. Else there are
/// no sums.
Pass sums_pass(const VerifyView& view);
/// Device memory stays under its budget (planner/verify/device_memory_check.hpp).
Pass device_memory_pass(const VerifyView& view);
/// Broadcasts that come to devices fit the memory that is kept for them (planner/verify/device_messages.hpp).
Pass device_messages_pass(const VerifyView& view);
/// Host memory stays under its budget (planner/verify/host_memory.hpp).
Pass host_memory_pass(const VerifyView& view);
/// Where tiles flow (PlanFrame::steps): tasks make all tiles of A and B, and some of C, once, on their owner,
/// in the step that uses them and of tiles of C of earlier ones; each tile of C that a task reads is computed
/// or made, and comes to its rank once. Tasks that add to a tile of a tensor follow each other, on its owner;
/// it is read behind the last of them, and only in steps in which the tensor is in memory.
Pass flow_pass(const VerifyView& view);
/// Data and control edges, and messages, have no cycle.
Pass acyclic_pass(const VerifyView& view);
/// Proves nothing: counts what people want to know. Its finish() comes first: it begins the summary.
Pass counts_pass(const VerifyView& view);

}  // namespace foretile
