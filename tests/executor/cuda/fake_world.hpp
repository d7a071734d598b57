// SPDX-License-Identifier: BSD-3-Clause
// The inside of the faked CUDA: what exists, what waits to be done, what was wrong.
#pragma once

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "fake_cuda.hpp"

// What the handles of CUDA and cuBLAS point to is for us to define.
struct Work {
  std::function<void()> run;
  std::function<bool()> ready = [] { return true; };
};

struct CUstream_st {
  int device = 0;
  std::deque<Work> work;
};

struct CUevent_st {
  int device = 0;
  int records = 0;  ///< given to streams
  int passed = 0;
};

struct cublasContext {
  int device = 0;
  CUstream_st* stream = nullptr;
  bool workspace = false;
  bool reals_on_host = true;
};
namespace foretile::fake_cuda {

constexpr int kPinned = -1;

struct Memory {
  std::int64_t bytes = 0;
  int device = 0;
  bool foreign = false;  ///< registered, of another owner
};

struct World {
  Options options;
  Random random{1};
  int current = 0;
  cudaError_t last = cudaSuccess;
  bool broken = false;
  bool break_next = false;
  bool struck = false;
  std::string fail_name;
  int fail_in = -1;
  std::map<std::string, int> calls;
  std::map<const std::byte*, Memory> memory;  ///< by its first address
  std::map<int, std::int64_t> used;           ///< by device
  std::set<CUstream_st*> streams;
  std::vector<CUstream_st*> in_order;  ///< the same, so that runs repeat
  std::map<int, CUstream_st*> defaults;
  std::set<CUevent_st*> events;
  std::set<cublasContext*> handles;
  std::set<std::pair<int, int>> peers;
  std::vector<std::string> complaints;
  std::set<int> contexts;       ///< devices on which something was asked for that needs one
  std::vector<int> priorities;  ///< of streams, in the order in which they were made
};
/// Never destroyed: complaints are asked for when the program ends.
extern std::unique_ptr<World>& world;

void complain(std::string text);
void expect(bool fine, std::string_view text);

/// Remembers an error as the last one.
cudaError_t keep(cudaError_t status);
/// Counts the call and says how it ends before it begins.
cudaError_t enter(const char* name);

/// The memory that holds all of [begin, begin + bytes), or nullptr.
const Memory* find(const void* begin, std::int64_t bytes);
/// Whether it is all in one memory of the device; complains if not.
bool on_device(const void* begin, std::int64_t bytes, int device, std::string_view what);
/// Whether it is page-locked in part only, or by parts: CUDA refuses to copy it.
bool locked_in_part(const void* begin, std::int64_t bytes);
/// Whether it is all in one memory of CUDA, or ordinary memory where Options say so; complains if not.
bool reachable(const void* begin, std::int64_t bytes, std::string_view what);
void* take(std::int64_t bytes, int device);
void release(void* memory, bool pinned, const char* call);

/// The current device's; exists once it was asked for.
CUstream_st* default_stream();
/// Puts work behind all that the stream has.
void give(CUstream_st* stream, std::function<void()> work, const char* call);

/// Work of any stream, for this one may follow others.
template <typename Done>
void run_until(Done done) {
  while (!done()) {
    const int before = waiting();
    step();
    if (waiting() == before) return complain("streams wait for each other");
  }
}

}  // namespace foretile::fake_cuda
