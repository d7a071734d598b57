// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Collective operations of MPI as messages: which rank sends how many bytes to whom, step by step.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace foretile {

/// One end of a message.
struct CollectiveMessage {
  int peer = 0;            ///< rank at the other end
  std::int64_t bytes = 0;  ///< may be 0
};

/// What a rank starts at once. Its next step begins when all of this one has ended.
struct CollectiveStep {
  std::vector<CollectiveMessage> sends,  ///< to ranks
      receives;                          ///< from ranks; matched with their sends in order
  std::int64_t copied_bytes = 0;         ///< that one core copies after the messages
  std::int64_t added_bytes = 0;          ///< that one core adds after the messages
};

/// By rank, then step.
using CollectivePlan = std::vector<std::vector<CollectiveStep>>;

/// "allgather", "bcast", ... and for each its algorithms, for help and errors.
struct CollectiveKind {
  std::string name;                     ///< of the operation
  std::vector<std::string> algorithms;  ///< of it, the first as default
};
/// All that collective_plan() knows.
const std::vector<CollectiveKind>& collective_kinds();

/// `bytes` of bcast, reduce and allreduce are those of the buffer; of allgather, gather, scatter and
/// reduce_scatter those of all ranks' parts together; of alltoall those that one rank sends. A part is
/// bytes / ranks, rounded down to whole 4 bytes. Rank 0 is the root.
///
/// ring: ranks - 1 steps to the next rank (allreduce: twice as many, parts). neighbor: even numbers of ranks,
/// pairs exchange two parts. recursive_doubling: partner rank xor 2^i; recursive_halving: the reverse, with
/// sums; rabenseifner: halving, then doubling (reduce: then a binomial gather). bruck: steps to rank - 2^i.
/// binomial, knomial (radix 4), binary: trees. pairwise: step i to rank + i. linear: all messages at once, or
/// at the root one after another; linear_nb: all at once at the root. Numbers of ranks that are no power of
/// two are folded first: of the first pairs one sends its data to the other and waits for the result.
/// Sources: Thakur, Rabenseifner, Gropp, IJHPCA 19 (2005), doi 10.1177/1094342005051521; neighbor: Chen et
/// al., CLUSTER 2005, doi 10.1109/CLUSTR.2005.347026.
/// Throws InputError for unknown names, fewer than 2 or more than 4096 ranks, or odd ranks with neighbor.
CollectivePlan collective_plan(std::string_view collective, std::string_view algorithm, int ranks,
                               std::int64_t bytes);

}  // namespace foretile
