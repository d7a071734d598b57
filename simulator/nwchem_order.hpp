// SPDX-License-Identifier: BSD-3-Clause
// A program as NWChem's Tensor Contraction Engine runs it, on a model of the machine.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/tensor/fused_program.hpp"
#include "platforms/machine.hpp"
#include "scheduler/trace.hpp"

namespace foretile {

/// What is as in NWChem; without one of them its loss is gone.
struct NwchemOptions {
  bool counter = true;  ///< ranks ask a shared counter for the next chain; else chain n is rank n mod ranks'
  bool waiting = true;  ///< a rank waits for the blocks of each product; else they take it no time
  bool server = true;   ///< one process of a node serves what ranks of other nodes get from it and accumulate
                        ///< to it; else blocks take the network alone
  bool levels = true;   ///< all ranks wait for each other behind a level; else chains follow each other as if
                        ///< nothing depended on anything: a lower bound
  double counter_s = 5e-6;     ///< that the counter's rank takes for a request, one at a time. GA over
                               ///< InfiniBand: 2 to 10 us
  double get_bytes_per_s = 0;  ///< that one rank gets at most; 0: as the platform's messages
  TraceSink* trace = nullptr;  ///< observes each product, permutation and wait of each rank
};

/// Seconds are sums over all ranks.
struct NwchemResult {
  double makespan_s = 0;
  std::vector<double> level_s;  ///< of each level; without levels one
  double products_s = 0, get_s = 0, sort_s = 0, accumulate_s = 0, counter_s = 0, idle_s = 0;
  double queue_s = 0;          ///< of gets and accumulations: until the process of the block's node begins
  double server_s = 0;         ///< that the processes of all nodes work
  std::int64_t got_bytes = 0;  ///< blocks of A and B, also of the own node
  std::int64_t accumulated_bytes = 0;  ///< permuted tiles of C
  std::int64_t copied_bytes = 0;       ///< got and accumulated by terms with one operand
  std::int64_t chains = 0, gemms = 0;
};

/// One rank for each device of the machine (Jagode et al. 2018, sections 2 and 3; Figure 1): it gets the next
/// chain, and for each product of it gets a block of A, a block of B (blocking), permutes both and
/// multiplies; then it permutes the tile of C for each block of the result and accumulates it there
/// (blocking). What a term with one operand copies is got, permuted and accumulated in the same way. Blocks
/// of two indices are there on all ranks. All chains of a level are one pool.
///
/// One-sided operations on a block of another node (Global Arrays on ARMCI's data server or on progress
/// ranks: Nieplocha et al. 2006; https://github.com/GlobalArrays/ga) go to one process of that node, first
/// come first served (simulator/node_queue.hpp). It copies a block that is got to a send buffer
/// (memory_copy_seconds), and reads, adds and writes one that is accumulated (block_seconds). The block
/// passes in pieces: its message begins with the process, and the rank has it when both are over. The process
/// never waits for the network, and takes no time from the ranks. Blocks of the own node are in shared
/// memory.
///
/// A message occupies the sender's node and the receiver's for its bytes at the node's rate, first come first
/// served; inside a node it takes the rate of its messages. Permutations take the platform's rate of
/// additions (platforms/cost/addition.hpp).
NwchemResult simulate_nwchem(const FusedProgram& program, const Machine& machine,
                             const NwchemOptions& options = {});

}  // namespace foretile
