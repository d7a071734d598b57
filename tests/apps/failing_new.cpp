// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into a program: one memory request of one rank fails, one thread is not made, or a file is cut
// off.
//   FORETILE_FAIL_RANK    the rank (as mpiexec numbers it); others never fail
//   FORETILE_FAIL_AT      the number of the request that fails, counted from 1; without it none does
//   FORETILE_FAIL_BY      a signal, which the rank gets then instead
//   FORETILE_FAIL_THREAD  the number of the std::thread that is not made, counted from 1: those of OpenBLAS
//                         and MPI end the rank before or below what foretile does
//   FORETILE_CUT_OFF      a file, of which a quarter is left from ...
//   FORETILE_CUT_AT       ... the rank's read of it with this number on, counted from 1
//   FORETILE_MPI_LEVEL    what MPI_Init_thread() says that it gives, on all ranks
//   FORETILE_COUNT_TO     a file that gets the numbers of all requests, threads and reads at the end
// Programs may also find foretile_fail_request() in it.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<long> requests = 0, threads = 0, reads = 0;
std::atomic<long> failing_by_call = -1;

const char* rank_here() {
  for (const char* name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK"}) {
    if (const char* const rank = std::getenv(name)) return rank;
  }
  return "0";
}

/// -1: there is none, or another rank fails.
long number_of(const char* name) {
  const char* const rank = std::getenv("FORETILE_FAIL_RANK");
  const char* const number = std::getenv(name);
  if (!rank || !number || std::strcmp(rank, rank_here()) != 0) return -1;
  return std::strtol(number, nullptr, 10);
}

void fail() {
  const long by = number_of("FORETILE_FAIL_BY");
  if (by < 0) throw std::bad_alloc();
  std::raise(static_cast<int>(by));
}

bool is_of_standard_library(const void* caller) {
  Dl_info found = {};
  return dladdr(caller, &found) != 0 && std::strstr(found.dli_fname, "libstdc++") != nullptr;
}

void* take(std::size_t bytes, std::size_t alignment) {
  static const long failing = number_of("FORETILE_FAIL_AT");
  const long number = ++requests;
  if (number == failing || number == failing_by_call) fail();
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
      std::fprintf(file, "%ld %ld %ld\n", requests.load(), threads.load(), reads.load());
      std::fclose(file);
    }
  }
} at_the_end;

void cut_before_read(int file) {
  static const char* const path = std::getenv("FORETILE_CUT_OFF");
  static const long cut = number_of("FORETILE_CUT_AT");
  struct stat read = {}, chosen = {};
  if (!path || ::fstat(file, &read) != 0 || ::stat(path, &chosen) != 0 || read.st_ino != chosen.st_ino)
    return;
  if (++reads == cut && ::truncate(path, chosen.st_size / 4) != 0) std::perror(path);
}

}  // namespace

extern "C" int MPI_Init_thread(int* count, char*** words, int required, int* provided) {
  static const auto start = reinterpret_cast<decltype(&MPI_Init_thread)>(dlsym(RTLD_NEXT, "MPI_Init_thread"));
  const int code = start(count, words, required, provided);
  if (const char* const level = std::getenv("FORETILE_MPI_LEVEL")) *provided = std::atoi(level);
  return code;
}

extern "C" ssize_t pread(int file, void* to, size_t bytes, off_t from) {
  static const auto read = reinterpret_cast<decltype(&pread)>(dlsym(RTLD_NEXT, "pread"));
  cut_before_read(file);
  return read(file, to, bytes, from);
}

extern "C" ssize_t pread64(int file, void* to, size_t bytes, off64_t from) {
  static const auto read = reinterpret_cast<decltype(&pread64)>(dlsym(RTLD_NEXT, "pread64"));
  cut_before_read(file);
  return read(file, to, bytes, from);
}

/// The `number`-th request from here fails; 0: none. How many there were until here.
extern "C" long foretile_fail_request(long number) {
  failing_by_call = number > 0 ? requests + number : -1;
  return requests;
}

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) {
  static const auto make = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  static const long failing = number_of("FORETILE_FAIL_THREAD");
  if (is_of_standard_library(__builtin_return_address(0)) && ++threads == failing) return EAGAIN;
  return make(thread, attributes, start, argument);
}

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
