// SPDX-License-Identifier: BSD-3-Clause
// A CUDA and a cuBLAS for tests: devices are pieces of host memory, and nothing that a stream was given is
// done before a wait for it, or by chance at a query. Whatever a real GPU would not forgive
// (foreign or freed memory, the wrong device, lists that are not on the device) is noted as a complaint.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace foretile::fake_cuda {

struct Options {
  int devices = 2;
  int driver = 13010;                                 ///< 0: none
  std::int64_t memory_bytes = std::int64_t{1} << 30;  ///< of each
  std::int64_t pinned_bytes = std::int64_t{1} << 30;
  bool ordinary_memory = false;   ///< whether copies may touch memory that CUDA does not know
  bool read_only_memory = false;  ///< memory that is registered cannot be written
  bool peers = true;              ///< whether devices reach each other
  int major = 9;                  ///< compute capability
  bool grouped = true;            ///< whether cuBLAS supports grouped batched products
  std::uint64_t seed = 1;
  int queues = 0;  ///< what CUDA_DEVICE_MAX_CONNECTIONS must say at the first call; 0: anything
};

/// Forgets everything. Call first.
void reset(const Options& options = {});

/// The call after `calls` more ones of this name (of all names: "") fails with an unknown error.
void fail_after(std::string_view name, int calls);
/// Work that is given to a stream from now on fails when it is done, and every call from then on.
void break_next_work();
/// Whether fail_after() or break_next_work() has struck.
bool failed();

/// Devices on which this process has a context, and the priorities of its streams in the order of their
/// making.
std::vector<int> contexts();
std::vector<int> priorities();
/// How often a function was called.
int calls(std::string_view name);
/// Work that waits in streams.
int waiting();
/// Some work of some stream is done, streams drawn at random.
void step();
/// All of it.
void drain();

/// What was wrong so far. With `at_end` also what was not given back.
std::vector<std::string> complaints(bool at_end);

}  // namespace foretile::fake_cuda
