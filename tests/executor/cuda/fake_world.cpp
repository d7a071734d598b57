// SPDX-License-Identifier: BSD-3-Clause
#include "fake_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace foretile::fake_cuda {

std::unique_ptr<World>& world = *new std::unique_ptr<World>(std::make_unique<World>());

void complain(std::string text) {
  world->complaints.push_back(std::move(text));
}

void expect(bool fine, std::string_view text) {
  if (!fine) complain(std::string(text));
}

cudaError_t keep(cudaError_t status) {
  if (status != cudaSuccess) world->last = status;
  return status;
}

cudaError_t enter(const char* name) {
  if (world->calls.empty() && world->options.queues > 0) {
    const char* queues = std::getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    expect(queues && fmt::to_string(world->options.queues) == queues, "CUDA_DEVICE_MAX_CONNECTIONS");
  }
  ++world->calls[name];
  if (world->broken) return keep(cudaErrorIllegalAddress);
  const bool meant = world->fail_name.empty() || world->fail_name == name;
  if (world->fail_in >= 0 && meant && world->fail_in-- == 0) {
    world->struck = true;
    return keep(cudaErrorUnknown);
  }
  return cudaSuccess;
}

const Memory* find(const void* begin, std::int64_t bytes) {
  const auto* at = static_cast<const std::byte*>(begin);
  auto next = world->memory.upper_bound(at);
  if (next == world->memory.begin()) return nullptr;
  const auto& [start, memory] = *--next;
  return at + bytes <= start + memory.bytes ? &memory : nullptr;
}

bool on_device(const void* begin, std::int64_t bytes, int device, std::string_view what) {
  const Memory* memory = find(begin, bytes);
  if (memory && memory->device == device) return true;
  complain(fmt::format("{}: {} bytes are not all in one memory of device {}", what, bytes, device));
  return false;
}

bool locked_in_part(const void* begin, std::int64_t bytes) {
  if (find(begin, bytes)) return false;
  const auto* at = static_cast<const std::byte*>(begin);
  return std::ranges::any_of(world->memory, [&](const auto& entry) {
    const auto& [start, memory] = entry;
    return memory.device == kPinned && start < at + bytes && at < start + memory.bytes;
  });
}

bool reachable(const void* begin, std::int64_t bytes, std::string_view what) {
  if (find(begin, bytes) || world->options.ordinary_memory) return true;
  complain(fmt::format("{}: {} bytes are in no memory of CUDA", what, bytes));
  return false;
}

CUstream_st* default_stream() {
  CUstream_st*& stream = world->defaults[world->current];
  if (!stream) {
    stream = new CUstream_st{world->current, {}};
    world->streams.insert(stream);
    world->in_order.push_back(stream);
  }
  return stream;
}

void give(CUstream_st* stream, std::function<void()> work, const char* call) {
  if (!world->streams.contains(stream)) return complain(fmt::format("{}: unknown stream", call));
  if (std::exchange(world->break_next, false)) {
    work = [] { world->broken = world->struck = true; };
  }
  stream->work.push_back({std::move(work)});
}

void* take(std::int64_t bytes, int device) {
  constexpr std::int64_t alignment = 256;
  const std::int64_t whole = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, static_cast<std::size_t>(whole));
  constexpr std::int64_t most = 1 << 16;  // workspaces are large and not read
  std::memset(memory, 0xff, static_cast<std::size_t>(std::min(whole, most)));  // all NaN
  world->memory[static_cast<std::byte*>(memory)] = {bytes, device};
  world->used[device] += bytes;
  return memory;
}

void release(void* memory, bool pinned, const char* call) {
  if (!memory) return;
  const auto found = world->memory.find(static_cast<std::byte*>(memory));
  if (found == world->memory.end() || (found->second.device == kPinned) != pinned) {
    return complain(fmt::format("{}: memory that was not allocated so", call));
  }
  drain();  // as the real ones do
  world->used[found->second.device] -= found->second.bytes;
  world->memory.erase(found);
  std::free(memory);
}
namespace {

bool can_run(const CUstream_st* stream) {
  return !stream->work.empty() && (world->broken || stream->work.front().ready());
}

void run_first(CUstream_st* stream) {
  const Work work = std::move(stream->work.front());
  stream->work.pop_front();
  if (!world->broken) work.run();
}

}  // namespace

void reset(const Options& options) {
  if (world) {
    for (auto& [start, memory] : world->memory) {
      if (!memory.foreign) std::free(const_cast<std::byte*>(start));
    }
    for (CUstream_st* stream : world->streams) delete stream;
    for (CUevent_st* event : world->events) delete event;
    for (cublasContext* handle : world->handles) delete handle;
  }
  world = std::make_unique<World>();
  world->options = options;
  world->random = Random(options.seed);
}

void fail_after(std::string_view name, int calls) {
  world->fail_name = name;
  world->fail_in = calls;
}

void break_next_work() {
  world->break_next = true;
}

bool failed() {
  return world->struck;
}

std::vector<int> contexts() {
  return {world->contexts.begin(), world->contexts.end()};
}

std::vector<int> priorities() {
  return world->priorities;
}

int calls(std::string_view name) {
  const auto found = world->calls.find(std::string(name));
  return found == world->calls.end() ? 0 : found->second;
}

int waiting() {
  std::size_t count = 0;
  for (const CUstream_st* stream : world->in_order) count += stream->work.size();
  return static_cast<int>(count);
}

void step() {
  std::vector<CUstream_st*> busy;
  for (CUstream_st* stream : world->in_order) {
    if (can_run(stream)) busy.push_back(stream);
  }
  if (busy.empty()) return;
  run_first(
      busy[static_cast<std::size_t>(world->random.integer(0, static_cast<std::int64_t>(busy.size()) - 1))]);
}

void drain() {
  run_until([] { return waiting() == 0; });
}

std::vector<std::string> complaints(bool at_end) {
  std::vector<std::string> all = world->complaints;
  if (!at_end) return all;
  const auto left = [&](std::size_t count, const char* what) {
    if (count > 0) all.push_back(fmt::format("not given back: {} of {}", count, what));
  };
  if (!world->broken) {
    left(world->memory.size(), "memory");
    left(world->streams.size() - world->defaults.size(), "streams");
    left(world->events.size(), "events");
    left(world->handles.size(), "handles");
    if (!world->struck && world->last != cudaSuccess) all.emplace_back("the last error was not taken back");
  }
  return all;
}
}  // namespace foretile::fake_cuda
