// SPDX-License-Identifier: BSD-3-Clause
// A program of spatial orbitals as TAMM runs it, on a model of the machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/tensor/labelled_tiles.hpp"
#include "planner/tensor/program.hpp"
#include "planner/tensor/spin_tiles.hpp"
#include "platforms/machine.hpp"
#include "scheduler/trace.hpp"

namespace foretile {

/// What is as in TAMM; without one of them its loss is gone.
struct TammOptions {
  bool waiting = true;  ///< a rank waits for the blocks of each product; else they take it no time
  bool server = true;   ///< one process of a node serves what ranks of other nodes get from it
  bool passes = true;   ///< numbers pass the host's memory; else they are in device memory all the time
  bool remake = true;   ///< an on-demand intermediate is made for each use; else a block of it once
  bool blocks = true;   ///< a rank makes whole blocks; else all ranks have the same number of products
  bool levels = true;   ///< all ranks wait for each other behind a level
  bool update = true;   ///< the solver's passes over the results behind the last level
  TraceSink* trace = nullptr;  ///< observes what each rank does in each term
};

/// Seconds are sums over all ranks, but for `makespan_s`, `level_s`, `update_s` and TammTerm.
struct TammResult {
  struct TammTerm {
    std::size_t number = 0;  ///< of the program's terms
    double longest_s = 0;    ///< the rank with most
    int ranks = 0;           ///< that have a part of it
  };

  double makespan_s = 0;
  std::vector<double> level_s;  ///< of each level; without levels one
  double update_s = 0;
  double products_s = 0, get_s = 0, queue_s = 0, host_s = 0, idle_s = 0;
  double server_s = 0;  ///< that the processes of all nodes work
  double got_bytes = 0;
  double gemms = 0, flops = 0;
  std::vector<TammTerm> terms;  ///< without those that are part of others, the longest first
};

/// One rank for each device. (Sources: github.com/NWChemEx/TAMM and github.com/ExaChem/exachem, Cholesky CCSD
/// of closed shells.)
///
/// Blocks of a tensor, the last index fastest, are a line of numbers, cut into equal shares, one for each
/// rank; a block is whole on the rank where it begins. That rank makes the block, for each term that writes
/// it: for each block of the summed indices it gets a block of A and one of B (blocking), copies both to its
/// device, and multiplies; then it copies the block to the host, adds it there, and writes it. One stream:
/// nothing overlaps. Nothing is kept for the next product. A term with one operand gets a block, permutes it
/// and adds it. Blocks of an on-demand intermediate are made whenever a product needs them, by the rank that
/// needs them: gets, copies and products over its summed indices, then about 7 passes over the block in host
/// memory until it is an operand on the device.
///
/// A get takes bytes / TammRates::get_bytes_per_s and twice the latency of messages. Before that it waits for
/// one process of the block's node, which serves bytes / TammRates::served_bytes_per_s for each get from
/// another node. All ranks of a term ask at the same time, for blocks that are spread over all nodes, and go
/// on when all are served: so a rank with most steps of a term waits as long as the processes serve all gets
/// of the term, others as their share of its steps. Rates that the platform lacks are those of
/// simulate_nwchem(). Permutations on the device take no time.
///
/// Behind the last level the solver passes 14 times over the results' numbers in host memory (spin copies,
/// update, history), each rank over its own.
///
/// All tiles of a space count as equal. Throws InputError where orbitals have spin, and where a tensor has
/// too many blocks.
TammResult simulate_tamm(const Program& program, const std::vector<LabelledTiles>& tiles,
                         const Machine& machine, const std::string& source, const TammOptions& options = {});

/// ExaChem's tile, unless its user names one: of 40, 45, ... up to 180 (160 where a device has less than
/// 50 GB for tiles), the last one before ceil(v/T)^2 ceil(o/T)^2 is less than 0.31 times the number of ranks.
std::int64_t tamm_tile(std::int64_t occupied, std::int64_t virtuals, const Machine& machine);

/// Of the rule's tiles the one with the least simulated time, as a user finds who tries tiles. `sizes.tile`
/// is not read.
std::int64_t best_tamm_tile(const Program& program, ProgramSizes sizes, const Machine& machine,
                            const std::string& source, TammOptions options = {});

}  // namespace foretile
