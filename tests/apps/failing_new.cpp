// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into a program: one memory request of one rank fails.
//   FORETILE_FAIL_RANK  the rank (as mpiexec numbers it); others never fail
//   FORETILE_FAIL_AT    the number of the request that fails, counted from 1; without it none does
//   FORETILE_COUNT_TO   a file that gets the number of all requests at the end
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<long> requests = 0;

const char* rank_here() {
  for (const char* name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK"}) {
    if (const char* const rank = std::getenv(name)) return rank;
  }
  return "0";
}

long failing_request() {
  const char* const rank = std::getenv("FORETILE_FAIL_RANK");
  const char* const at = std::getenv("FORETILE_FAIL_AT");
  if (!rank || !at || std::strcmp(rank, rank_here()) != 0) return -1;
  return std::strtol(at, nullptr, 10);
}

void* take(std::size_t bytes, std::size_t alignment) {
  static const long failing = failing_request();
  if (++requests == failing) throw std::bad_alloc();
  void* const memory = alignment == 0
                           ? std::malloc(bytes == 0 ? 1 : bytes)
                           : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

struct AtTheEnd {
  ~AtTheEnd() {
    const char* const path = std::getenv("FORETILE_COUNT_TO");
    const char* const rank = std::getenv("FORETILE_FAIL_RANK");
    if (!path || !rank || std::strcmp(rank, rank_here()) != 0) return;
    if (std::FILE* const file = std::fopen(path, "w")) {
      std::fprintf(file, "%ld\n", requests.load());
      std::fclose(file);
    }
  }
} at_the_end;

}  // namespace

void* operator new(std::size_t bytes) {
  return take(bytes, 0);
}
void* operator new[](std::size_t bytes) {
  return take(bytes, 0);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return take(bytes, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return take(bytes, static_cast<std::size_t>(alignment));
}
/// Not counted: who asks so can do without, as std::stable_sort without its buffer.
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}
