// SPDX-License-Identifier: BSD-3-Clause
#include "executor/mpi/communicator.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <string_view>
#include <thread>

#include "base/error.hpp"

namespace foretile {

void require_mpi(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw WorkError(fmt::format("MPI, {}: {}", what, std::string_view(text.data(), length)));
}

Rank rank_in(MPI_Comm communicator) {
  int rank = 0;
  require_mpi(MPI_Comm_rank(communicator, &rank), "rank");
  return Rank::of(rank);
}

int size_of(MPI_Comm communicator) {
  int size = 1;
  require_mpi(MPI_Comm_size(communicator, &size), "size");
  return size;
}

namespace {

/// None where the system does not say.
cpu_set_t own_mask() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) CPU_ZERO(&cores);
  return cores;
}

/// The ranks that share this one's node; the caller frees it.
MPI_Comm ranks_of_node(MPI_Comm communicator) {
  MPI_Comm node = MPI_COMM_NULL;
  require_mpi(MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), "node");
  return node;
}

/// Of all ranks of the node.
cpu_set_t joined_masks(MPI_Comm node) {
  cpu_set_t cores = own_mask();
  require_mpi(MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof cores, MPI_BYTE, MPI_BOR, node), "cores");
  return cores;
}

RankOnNode find_place_on_node(MPI_Comm communicator) {
  MPI_Comm node = ranks_of_node(communicator);
  const int ranks = size_of(node);
  const cpu_set_t mine = own_mask(), cores = joined_masks(node);
  const int own = CPU_COUNT(&mine);
  const RankOnNode place = place_with_cores(rank_in(node), ranks, own, CPU_COUNT(&cores));
  require_mpi(MPI_Comm_free(&node), "node");
  return place;
}

/// In the bits of a pointer, which MPI keeps by value: memory for it might be missing on one rank alone.
using PackedPlace = std::array<std::uint16_t, 4>;

void* packed(const RankOnNode& place) {
  const auto figure = [](int number) { return static_cast<std::uint16_t>(std::min(number, UINT16_MAX)); };
  return std::bit_cast<void*>(
      PackedPlace{figure(place.number), figure(place.ranks), figure(place.cores), figure(place.node_cores)});
}

RankOnNode unpacked(void* attribute) {
  const auto figures = std::bit_cast<PackedPlace>(attribute);
  return {figures[0], figures[1], figures[2], figures[3]};
}

int make_place_key() {
  int key = MPI_KEYVAL_INVALID;
  require_mpi(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr), "node");
  return key;
}

}  // namespace

RankOnNode place_with_cores(int number, int ranks, int own, int together) {
  return {number, ranks, std::clamp(together / ranks, 1, std::max(1, own)), std::max(1, together)};
}

RankOnNode place_on_node(MPI_Comm communicator) {
  static const int key = make_place_key();
  void* known = nullptr;
  int is_known = 0;
  require_mpi(MPI_Comm_get_attr(communicator, key, static_cast<void*>(&known), &is_known), "node");
  if (is_known) return unpacked(known);
  const RankOnNode place = find_place_on_node(communicator);
  require_mpi(MPI_Comm_set_attr(communicator, key, packed(place)), "node");
  return place;
}

int cores_of_rank(MPI_Comm communicator) {
  return place_on_node(communicator).cores;
}

int cores_of_node(MPI_Comm communicator) {
  return all_reduced(place_on_node(communicator).node_cores, MPI_MAX, communicator, "cores");
}

void use_cores_of_node(MPI_Comm communicator) {
  MPI_Comm node = ranks_of_node(communicator);
  const cpu_set_t cores = joined_masks(node);
  require_mpi(MPI_Comm_free(&node), "node");
  if (CPU_COUNT(&cores) > 0) ::sched_setaffinity(0, sizeof cores, &cores);
}

Rank first_rank_of_node(MPI_Comm communicator) {
  MPI_Comm node = ranks_of_node(communicator);
  const int first = all_reduced(static_cast<int>(rank_in(communicator)), MPI_MIN, node, "node");
  require_mpi(MPI_Comm_free(&node), "node");
  return Rank::of(first);
}

void broadcast_on_node(std::span<double> numbers, MPI_Comm communicator, const char* what) {
  MPI_Comm node = ranks_of_node(communicator);
  broadcast(numbers.data(), static_cast<int>(numbers.size()), MPI_DOUBLE, 0, node, what);
  require_mpi(MPI_Comm_free(&node), "node");
}

MPI_Comm node_by_node(MPI_Comm communicator, Rank first) {
  MPI_Comm ordered = MPI_COMM_NULL;
  require_mpi(MPI_Comm_split(communicator, 0, first, &ordered), "node");  // ties: by rank
  return ordered;
}

void wait_quietly(MPI_Request& request, const char* what) {
  using Clock = std::chrono::steady_clock;
  // Ranks often come together: then a sleep would cost more than what is waited for. Later polls get rarer:
  // those of several ranks at once take a tenth of a core from what the others still do.
  constexpr auto kAwake = std::chrono::microseconds(200);
  constexpr auto kLongestPause = std::chrono::microseconds(2000);
  const auto begun = Clock::now();
  for (int done = 0;;) {
    require_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
    if (done) return;
    const auto waited = Clock::now() - begun;
    if (waited < kAwake) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::min<Clock::duration>(waited / 32, kLongestPause));
    }
  }
}

void wait_while_moving(MPI_Request& request, const char* what) {
  for (int done = 0;;) {
    require_mpi(MPI_Test(&request, &done, MPI_STATUS_IGNORE), what);
    if (done) return;
    std::this_thread::yield();
  }
}

void quiet_barrier(MPI_Comm communicator) {
  MPI_Request request = MPI_REQUEST_NULL;
  require_mpi(MPI_Ibarrier(communicator, &request), "barrier");
  wait_quietly(request, "barrier");
}

void all_reduce(void* numbers, std::int64_t count, MPI_Datatype type, MPI_Op operation, MPI_Comm communicator,
                const char* what) {
  constexpr std::int64_t kMoved_bytes = 1 << 16;
  constexpr std::int64_t kMost = std::int64_t{1} << 27;  // counts are ints, and MPI takes memory for as many
  MPI_Aint least = 0, bytes = 0;
  require_mpi(MPI_Type_get_extent(type, &least, &bytes), what);
  for (std::int64_t at = 0; at < count; at += kMost) {
    MPI_Request request = MPI_REQUEST_NULL;
    require_mpi(MPI_Iallreduce(MPI_IN_PLACE, static_cast<char*>(numbers) + at * bytes,
                               static_cast<int>(std::min(kMost, count - at)), type, operation, communicator,
                               &request),
                what);
    count* bytes > kMoved_bytes ? wait_while_moving(request, what) : wait_quietly(request, what);
  }
}

void broadcast(void* numbers, int count, MPI_Datatype type, int from, MPI_Comm communicator,
               const char* what) {
  MPI_Request request = MPI_REQUEST_NULL;
  require_mpi(MPI_Ibcast(numbers, count, type, from, communicator, &request), what);
  wait_quietly(request, what);
}

std::string broadcast(std::string text, int from, MPI_Comm communicator, const char* what) {
  text.resize(static_cast<std::size_t>(broadcast(std::ssize(text), from, communicator, what)));
  broadcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, from, communicator, what);
  return text;
}

}  // namespace foretile
