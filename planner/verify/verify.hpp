// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Proves a plan before anything runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/spread.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// How long one of the proofs took. "blocks" is the walk through the plan, which the passes share.
struct PassTime {
  std::string name;    ///< of the proof
  double seconds = 0;  ///< wall time
};

/// What was counted on the way.
struct PlanSummary {
  std::int64_t gemms = 0;                      ///< products of tiles, on all ranks
  std::vector<std::int64_t> rank_gemms;        ///< of these, by rank
  std::int64_t blocks = 0;                     ///< blocks of all devices
  std::int64_t chunks = 0;                     ///< chunks of all blocks
  std::int64_t peak_device_bytes = 0;          ///< most that any device holds at once
  std::int64_t peak_device_message_bytes = 0;  ///< beside these, of broadcasts that come to a device
  std::int64_t peak_host_bytes = 0;            ///< most that any rank holds in host memory
  std::int64_t peak_tensor_bytes = 0;          ///< the same of tensors alone (PlanFrame::tensors),
  std::int64_t peak_matrix_bytes = 0;          ///< and of all but these
  std::int64_t matrix_bytes_per_rank = 0;      ///< own tiles of A, of B where it is given, and of C, at most
  std::int64_t h2d_bytes = 0;                  ///< loads onto devices if no tile is found on one already
  std::int64_t c_loaded_bytes = 0;             ///< of these, initial values of C
  std::int64_t d2h_bytes = 0;                  ///< C
  std::int64_t network_bytes = 0;              ///< arriving at ranks; a tile counts for each receiver
  std::int64_t a_sent_bytes = 0;               ///< of these, A
  std::int64_t b_sent_bytes = 0;               ///< of these, B
  std::int64_t c_sent_bytes = 0;               ///< of these, parts of C
  std::int64_t most_received_bytes = 0;        ///< of these, most by one rank
  std::int64_t generated_bytes = 0;            ///< tiles that are generated, all ranks together
  Spread device_loads;           ///< tiles of A, B and C loaded per device if none is found there already
  double imbalance = 1;          ///< flops of the busiest device over the mean of its class
  std::vector<PassTime> passes;  ///< of each proof, in their order

  /// Most on any device, with messages.
  std::int64_t device_bytes() const { return peak_device_bytes + peak_device_message_bytes; }
};

/// Proves for any plan that its numbers make sense (p * q * r ranks, columns increasing, tiles and ranks that
/// exist, no empty block, chunk or message, no tile of A in a block that does not use it), and then what the
/// passes in planner/verify/pass.hpp say, one by one: products once, sources, memory, no cycle. Takes time
/// linear in the plan and its products. Throws InputError that names the place, the missing bytes and the
/// parameter that helps. `progress` gets how many products it has seen.
PlanSummary verify(const Plan& plan, const Contraction& contraction, const CountFunction& progress = {});

}  // namespace foretile
