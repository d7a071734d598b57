// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/start_check.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/quantity.hpp"
#include "base/threads.hpp"

namespace foretile {

namespace {

/// Measured with MPICH 4.0 and UCX 1.13 and 2 to 4 ranks on a node: 140 MB.
constexpr std::int64_t kMpiBytes = 160'000'000;
/// For OpenBLAS's buffers, threads and small matrices: what the limit should leave behind that.
constexpr std::int64_t kRunBytes = 512'000'000;
/// Of /dev/shm, for each rank. Measured with the same, 1 to 4 ranks on a node: 4.31 to 4.33 MB.
constexpr std::int64_t kSharedBytes = 4'400'000;

/// Measured with the same, 2 ranks on a node: with 28 MPI does not start, with 32 it does.
constexpr rlim_t kMpiFiles = 32;
/// UCX starts one; ranks of a node start theirs at the same time.
constexpr int kMpiThreads = 2;

constexpr const char* kShared = "/dev/shm";

std::optional<std::int64_t> address_space_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return static_cast<std::int64_t>(std::min<rlim_t>(limit.rlim_cur, INT64_MAX));
}

/// Address space in use; 0 where it is unknown.
std::int64_t used_address_space() {
  std::ifstream in("/proc/self/statm");
  std::int64_t pages = 0;
  in >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

void require_address_space() {
  const std::optional<std::int64_t> limit = address_space_limit();
  const std::int64_t needed = used_address_space() + kMpiBytes;
  if (!limit || *limit >= needed) return;
  throw input_error("ulimit -v", fmt::format("an address space of {}", spelled_bytes(*limit)),
                    fmt::format("at least {} of memory to start MPI", spelled_bytes(needed)),
                    fmt::format("set ulimit -v {}, or more for large matrices", (needed + kRunBytes) / 1024));
}

void require_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kMpiFiles) return;
  throw input_error("ulimit -n", fmt::format("{} open files", limit.rlim_cur),
                    fmt::format("at least {} to start MPI", kMpiFiles), "set ulimit -n 1024");
}

/// UCX ends with a stack where it gets no thread.
void require_threads() {
  run_on_threads(1 + kMpiThreads, [](int) {});
}

bool is_mpich_over_ucx() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  return std::string_view(text.data()).find("ch4:ucx") != std::string_view::npos;
}

/// UCX asks /proc which machine this is.
void require_proc() {
  if (::access("/proc/self", F_OK) == 0) return;
  throw input_error("/proc", "nothing", "the system's files, to start MPI", "mount it");
}

/// Of this node, as Hydra tells; 1 where it does not.
int local_ranks() {
  const char* const text = std::getenv("MPI_LOCALNRANKS");
  return text ? std::max(1, std::atoi(text)) : 1;
}

/// Unless the user chose how UCX sends.
void require_room_in_shared_memory() {
  struct statvfs facts {};
  if (std::getenv("UCX_TLS") || std::getenv("UCX_POSIX_DIR") || ::statvfs(kShared, &facts) != 0) return;
  const auto bytes = [&](fsblkcnt_t blocks) { return static_cast<std::int64_t>(blocks * facts.f_frsize); };
  require_shared_memory(bytes(facts.f_blocks), bytes(facts.f_bavail), local_ranks());
}

}  // namespace

void start_with_one_blas_thread(char** argv) {
  constexpr const char* kThreads = "OPENBLAS_NUM_THREADS";
  if (!address_space_limit() || std::getenv(kThreads)) return;
  ::setenv(kThreads, "1", 1);
  ::execv(own_program().c_str(), argv);
}

void require_room_for_mpi() {
  require_address_space();
  require_open_files();
  if (!is_mpich_over_ucx()) return;
  require_proc();
  require_threads();
  require_room_in_shared_memory();
}

void require_shared_memory(std::int64_t all_bytes, std::int64_t free_bytes, int ranks) {
  const std::int64_t needed = ranks * kSharedBytes;
  if (all_bytes >= needed && free_bytes >= kSharedBytes) return;
  throw input_error(kShared,
                    fmt::format("{} of {} free", spelled_bytes(free_bytes), spelled_bytes(all_bytes)),
                    fmt::format("at least {} to start MPI with {} ranks", spelled_bytes(needed), ranks),
                    "remove files there, make it larger, or set UCX_TLS=tcp,self");
}

}  // namespace foretile
