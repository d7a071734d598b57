// SPDX-License-Identifier: BSD-3-Clause
// What is asked of a communicator. Ranks that wait for others keep no core busy, but while large messages
// move.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "base/id.hpp"

namespace foretile {

/// Throws WorkError with MPI's text and what was done, unless `code` is success.
void require_mpi(int code, const char* what);

Rank rank_in(MPI_Comm communicator);
int size_of(MPI_Comm communicator);

/// A rank among those that share its node's memory.
struct RankOnNode {
  int number = 0;
  int ranks = 1;
  int cores = 1;       ///< this rank's share of those that the ranks may use (their affinity masks)
  int node_cores = 1;  ///< that any of the ranks may use
};

/// Rank `number` of `ranks`; it may use `own` cores, and the ranks of its node `together`. A rank that is
/// bound to cores has these; ranks that may use the same cores share them evenly.
RankOnNode place_with_cores(int number, int ranks, int own, int together);

/// Collective. The communicator keeps the answer, and duplicates have it too: finding it takes a millisecond.
RankOnNode place_on_node(MPI_Comm communicator);
/// RankOnNode::cores. Collective as place_on_node().
int cores_of_rank(MPI_Comm communicator);
/// Most that the ranks of one node may use together: a launcher may have bound each to some. Collective, the
/// same on all ranks.
int cores_of_node(MPI_Comm communicator);

/// The calling thread, and threads that it starts, may from here on use the cores of all ranks of its node,
/// where the system lets them: a launcher may have bound each rank to some. Before place_on_node().
/// Collective.
void use_cores_of_node(MPI_Comm communicator);

/// Of those that share this rank's node. Collective.
Rank first_rank_of_node(MPI_Comm communicator);

/// The same ranks, those with the same `first` after each other, in the order of these and of their own
/// numbers. Collective; the caller frees it.
MPI_Comm node_by_node(MPI_Comm communicator, Rank first);

/// Until the request is done: 0.2 ms awake, then with sleeps in between. Library calls that wait keep their
/// core busy, which ranks that share it would need.
void wait_quietly(MPI_Request& request, const char* what);

/// The same for large messages, without sleeps: MPI moves a piece at each poll. Ranks that share the core get
/// it in between.
void wait_while_moving(MPI_Request& request, const char* what);

/// Waits for all ranks.
void quiet_barrier(MPI_Comm communicator);

template <class Number>
MPI_Datatype mpi_type() {
  if constexpr (std::is_same_v<Number, double>) return MPI_DOUBLE;
  if constexpr (std::is_same_v<Number, int>) return MPI_INT;
  if constexpr (std::is_same_v<Number, signed char>) return MPI_SIGNED_CHAR;
  if constexpr (std::is_same_v<Number, std::int64_t>) return MPI_INT64_T;
  if constexpr (std::is_same_v<Number, std::uint64_t>) return MPI_UINT64_T;
}

/// Replaces the numbers by their MPI_SUM, MPI_MAX, ... over all ranks. Collective; any count. `what` is for
/// error messages.
void all_reduce(void* numbers, std::int64_t count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator,
                const char* what);

template <class Number, std::size_t extent>
void all_reduce(std::span<Number, extent> numbers, MPI_Op operation, MPI_Comm communicator,
                const char* what) {
  all_reduce(numbers.data(), std::ssize(numbers), mpi_type<Number>(), operation, communicator, what);
}

template <class Number>
Number all_reduced(Number mine, MPI_Op operation, MPI_Comm communicator, const char* what) {
  all_reduce(&mine, 1, mpi_type<Number>(), operation, communicator, what);
  return mine;
}

/// Seconds that the slowest rank takes for its step. Collective.
template <class Step>
double slowest_s(MPI_Comm communicator, const Step& step) {
  const double begun_s = MPI_Wtime();
  step();
  return all_reduced(MPI_Wtime() - begun_s, MPI_MAX, communicator, "time");
}

/// What rank `from` has. Collective.
void broadcast(void* numbers, int count, MPI_Datatype type, int from, MPI_Comm communicator,
               const char* what);

template <class Number>
Number broadcast(Number number, int from, MPI_Comm communicator, const char* what) {
  broadcast(&number, 1, mpi_type<Number>(), from, communicator, what);
  return number;
}

std::string broadcast(std::string text, int from, MPI_Comm communicator, const char* what);

/// `numbers`, as many on all ranks of a node, become those of its first rank. Collective.
void broadcast_on_node(std::span<double> numbers, MPI_Comm communicator, const char* what);

}  // namespace foretile
