#include "fake_cuda.hpp"

#include <cublasXt.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "base/random.hpp"
#include "executor/cuda/bring_addresses.hpp"
#include "executor/cuda/make_tiles.hpp"
#include "executor/generate.hpp"

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

namespace {

constexpr int kPinned = -1;

struct Memory {
  std::int64_t bytes = 0;
  int device = 0;
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
};

/// Never destroyed: complaints are asked for when the program ends.
auto& world = *new std::unique_ptr<World>(std::make_unique<World>());

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

/// Counts the call and says how it ends before it begins.
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

cublasStatus_t enter_blas(const char* name) {
  return enter(name) == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// The memory that holds all of [begin, begin + bytes), or nullptr.
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

bool reachable(const void* begin, std::int64_t bytes, std::string_view what) {
  if (find(begin, bytes)) return true;
  complain(fmt::format("{}: {} bytes are in no memory of CUDA", what, bytes));
  return false;
}

bool can_run(const CUstream_st* stream) {
  return !stream->work.empty() && (world->broken || stream->work.front().ready());
}

void run_first(CUstream_st* stream) {
  const Work work = std::move(stream->work.front());
  stream->work.pop_front();
  if (!world->broken) work.run();
}

/// Work of any stream, for this one may follow others.
template <typename Done>
void run_until(Done done) {
  while (!done()) {
    const int before = waiting();
    step();
    if (waiting() == before) return complain("streams wait for each other");
  }
}

/// The current device's; exists once it was asked for.
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
  constexpr std::int64_t most = 1 << 16;  // workspaces are large and nobody reads them
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

/// Column-major C = A B + beta C, where C is not read when beta is 0.
template <typename Real>
void product(int m, int n, int k, Real alpha, const Real* a, const Real* b, Real beta, Real* c) {
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) {
      Real sum = 0;
      for (int l = 0; l < k; ++l) sum += a[i + std::int64_t{l} * m] * b[l + std::int64_t{j} * k];
      Real& element = c[i + std::int64_t{j} * m];
      element = beta == Real{0} ? alpha * sum : alpha * sum + beta * element;
    }
  }
}

template <typename Real>
void checked_product(int device, int m, int n, int k, Real alpha, const Real* a, const Real* b, Real beta,
                     Real* c) {
  const auto bytes = [](int rows, int columns) {
    return std::int64_t{rows} * columns * std::int64_t{sizeof(Real)};
  };
  if (on_device(a, bytes(m, k), device, "A") && on_device(b, bytes(k, n), device, "B") &&
      on_device(c, bytes(m, n), device, "C")) {
    product(m, n, k, alpha, a, b, beta, c);
  }
}

void expect_ready(const cublasContext* blas, const char* call) {
  if (!world->handles.contains(const_cast<cublasContext*>(blas))) {
    return complain(fmt::format("{}: unknown handle", call));
  }
  expect(blas->device == world->current, fmt::format("{}: another device is current", call));
  expect(blas->stream != nullptr && blas->stream->device == blas->device, fmt::format("{}: stream", call));
  expect(blas->workspace, fmt::format("{}: without a workspace of its own", call));
  expect(blas->reals_on_host, fmt::format("{}: alpha and beta are on the host", call));
}

void expect_plain(cublasOperation_t a, cublasOperation_t b, int m, int n, int k, int lda, int ldb, int ldc) {
  expect(a == CUBLAS_OP_N && b == CUBLAS_OP_N, "transposed");
  expect(m > 0 && n > 0 && k > 0, "an empty product");
  expect(lda == m && ldb == k && ldc == m, "gaps between columns");
}

template <typename Real>
cublasStatus_t gemm(const char* call, cublasHandle_t blas, cublasOperation_t ta, cublasOperation_t tb, int m,
                    int n, int k, const Real* alpha, const Real* a, int lda, const Real* b, int ldb,
                    const Real* beta, Real* c, int ldc) {
  const cublasStatus_t status = enter_blas(call);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  expect_ready(blas, call);
  expect_plain(ta, tb, m, n, k, lda, ldb, ldc);
  give(
      blas->stream,
      [=, device = blas->device, alpha = *alpha, beta = *beta] {
        checked_product(device, m, n, k, alpha, a, b, beta, c);
      },
      call);
  return status;
}

/// The lists of addresses are read when the work is done, as a GPU would.
template <typename Real>
void products(int device, int m, int n, int k, Real alpha, const Real* const* a, const Real* const* b,
              Real beta, Real* const* c, int begin, int end, int all) {
  const std::int64_t bytes = std::int64_t{all} * std::int64_t{sizeof(void*)};
  if (!on_device(a, bytes, device, "list of A") || !on_device(b, bytes, device, "list of B") ||
      !on_device(c, bytes, device, "list of C")) {
    return;
  }
  std::set<Real*> different;
  for (int p = begin; p < end; ++p) {
    expect(different.insert(c[p]).second, "two products of a launch have the same C");
    checked_product(device, m, n, k, alpha, a[p], b[p], beta, c[p]);
  }
}

template <typename Real>
cublasStatus_t batched(const char* call, cublasHandle_t blas, cublasOperation_t ta, cublasOperation_t tb,
                       int m, int n, int k, const Real* alpha, const Real* const* a, int lda,
                       const Real* const* b, int ldb, const Real* beta, Real* const* c, int ldc, int count) {
  const cublasStatus_t status = enter_blas(call);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  expect_ready(blas, call);
  expect_plain(ta, tb, m, n, k, lda, ldb, ldc);
  give(
      blas->stream,
      [=, device = blas->device, alpha = *alpha, beta = *beta] {
        products(device, m, n, k, alpha, a, b, beta, c, 0, count, count);
      },
      call);
  return status;
}

template <typename Real>
struct Group {
  int m, n, k;
  Real alpha, beta;
  int begin, end;
};

template <typename Real>
cublasStatus_t grouped(const char* call, cublasHandle_t blas, const cublasOperation_t* ta,
                       const cublasOperation_t* tb, const int* m, const int* n, const int* k,
                       const Real* alpha, const Real* const* a, const int* lda, const Real* const* b,
                       const int* ldb, const Real* beta, Real* const* c, const int* ldc, int count,
                       const int* size) {
  const cublasStatus_t status = enter_blas(call);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  expect_ready(blas, call);
  if (!world->options.grouped) return CUBLAS_STATUS_NOT_SUPPORTED;
  std::vector<Group<Real>> groups;
  int all = 0;
  for (int g = 0; g < count; ++g) {
    expect_plain(ta[g], tb[g], m[g], n[g], k[g], lda[g], ldb[g], ldc[g]);
    expect(size[g] > 0, "an empty group");
    groups.push_back({m[g], n[g], k[g], alpha[g], beta[g], all, all + size[g]});
    all += size[g];
  }
  give(
      blas->stream,
      [=, device = blas->device] {
        for (const Group<Real>& group : groups) {
          products(device, group.m, group.n, group.k, group.alpha, a, b, group.beta, c, group.begin,
                   group.end, all);
        }
      },
      call);
  return status;
}

}  // namespace

void reset(const Options& options) {
  if (world) {
    for (auto& [start, memory] : world->memory) std::free(const_cast<std::byte*>(start));
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

using namespace foretile::fake_cuda;

namespace foretile {

cudaError_t launch_make(void* to, std::int64_t elements, std::uint64_t key, double width, Precision precision,
                        cudaStream_t stream) {
  if (const cudaError_t status = enter("cudaLaunchKernel")) return status;
  if (!stream) stream = default_stream();
  expect(stream->device == world->current, "make: another device is current");
  give(
      stream,
      [=] {
        if (!on_device(to, elements * bytes_of(precision), stream->device, "make")) return;
        for (std::int64_t e = 0; e < elements; ++e) {
          const double value =
              (static_cast<double>(counter_bits(key, static_cast<std::uint64_t>(e)) >> 12) * 0x1p-52 - 0.5) *
              width;
          if (precision == Precision::f64) {
            static_cast<double*>(to)[e] = value;
          } else {
            static_cast<float*>(to)[e] = static_cast<float>(value);
          }
        }
      },
      "make");
  return cudaSuccess;
}

cudaError_t launch_bring(std::uintptr_t* to, const std::uintptr_t* from, std::int64_t count,
                         cudaStream_t stream) {
  if (const cudaError_t status = enter("cudaLaunchKernel")) return status;
  ++world->calls["launch_bring"];
  expect(stream->device == world->current, "bring: another device is current");
  const std::int64_t bytes = count * std::int64_t{sizeof(std::uintptr_t)};
  give(
      stream,
      [=] {
        if (on_device(to, bytes, stream->device, "bring to") && on_device(from, bytes, kPinned, "bring from"))
          std::memcpy(to, from, static_cast<std::size_t>(bytes));
      },
      "bring");
  return cudaSuccess;
}

}  // namespace foretile

extern "C" {

cudaError_t cudaGetLastError() {
  return std::exchange(world->last, cudaSuccess);
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorIllegalAddress:
      return "cudaErrorIllegalAddress";
    case cudaErrorNoDevice:
      return "cudaErrorNoDevice";
    default:
      return "cudaErrorUnknown";
  }
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorNoDevice:
      return "no CUDA-capable device is detected";
    default:
      return "unknown error";
  }
}

cudaError_t cudaGetDeviceCount(int* count) {
  if (const cudaError_t status = enter("cudaGetDeviceCount")) return status;
  *count = world->options.devices;
  return *count > 0 ? cudaSuccess : keep(cudaErrorNoDevice);
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  if (const cudaError_t status = enter("cudaGetDeviceProperties")) return status;
  *properties = {};
  std::strcpy(properties->name, "Fake GPU");
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  if (const cudaError_t status = enter("cudaDeviceGetAttribute")) return status;
  expect(attribute == cudaDevAttrComputeCapabilityMajor, "an attribute that is not faked");
  *value = world->options.major;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  if (const cudaError_t status = enter("cudaSetDevice")) return status;
  expect(device >= 0 && device < world->options.devices, "cudaSetDevice: no such device");
  world->current = device;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  if (const cudaError_t status = enter("cudaGetDevice")) return status;
  *device = world->current;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  if (const cudaError_t status = enter("cudaDriverGetVersion")) return status;
  *version = world->options.driver;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  if (const cudaError_t status = enter("cudaRuntimeGetVersion")) return status;
  *version = 12050;
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  if (const cudaError_t status = enter("cudaDeviceCanAccessPeer")) return status;
  *can = device != peer && world->options.peers ? 1 : 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  if (const cudaError_t status = enter("cudaDeviceEnablePeerAccess")) return status;
  expect(flags == 0 && peer != world->current && world->options.peers, "cudaDeviceEnablePeerAccess");
  return world->peers.insert({world->current, peer}).second ? cudaSuccess
                                                            : keep(cudaErrorPeerAccessAlreadyEnabled);
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  if (const cudaError_t status = enter("cudaMemGetInfo")) return status;
  *total = static_cast<std::size_t>(world->options.memory_bytes);
  *free = static_cast<std::size_t>(world->options.memory_bytes - world->used[world->current]);
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  if (const cudaError_t status = enter("cudaMalloc")) return status;
  const auto wanted = static_cast<std::int64_t>(bytes);
  expect(wanted > 0, "cudaMalloc of nothing");
  if (world->used[world->current] + wanted > world->options.memory_bytes)
    return keep(cudaErrorMemoryAllocation);
  *memory = take(wanted, world->current);
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  const cudaError_t status = enter("cudaFree");
  release(memory, false, "cudaFree");
  return status;
}

cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned flags) {
  if (const cudaError_t status = enter("cudaHostAlloc")) return status;
  const auto wanted = static_cast<std::int64_t>(bytes);
  expect(flags == cudaHostAllocPortable, "cudaHostAlloc: not for all devices");
  if (world->used[kPinned] + wanted > world->options.pinned_bytes) return keep(cudaErrorMemoryAllocation);
  *memory = take(wanted, kPinned);
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* memory) {
  const cudaError_t status = enter("cudaFreeHost");
  release(memory, true, "cudaFreeHost");
  return status;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  if (const cudaError_t status = enter("cudaStreamCreateWithFlags")) return status;
  expect(flags == cudaStreamNonBlocking, "a stream that waits for the default one");
  *stream = new CUstream_st{world->current, {}};
  world->streams.insert(*stream);
  world->in_order.push_back(*stream);
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (const cudaError_t status = enter("cudaStreamSynchronize")) return status;
  run_until([&] { return stream->work.empty(); });
  return world->broken ? keep(cudaErrorIllegalAddress) : cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const cudaError_t status = enter("cudaStreamDestroy");
  expect(world->struck || stream->work.empty(), "a stream went before its work was done");
  if (world->streams.erase(stream) == 0) return keep(cudaErrorInvalidResourceHandle);
  std::erase(world->in_order, stream);
  delete stream;
  return status;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  if (const cudaError_t status = enter("cudaEventCreateWithFlags")) return status;
  expect(flags == cudaEventDisableTiming, "an event that takes the time");
  *event = new CUevent_st{world->current, 0, 0};
  world->events.insert(*event);
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const cudaError_t status = enter("cudaEventDestroy");
  expect(world->struck || event->records == event->passed, "an event went before it was reached");
  if (world->events.erase(event) == 0) return keep(cudaErrorInvalidResourceHandle);
  delete event;
  return status;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (const cudaError_t status = enter("cudaEventRecord")) return status;
  expect(event->device == stream->device, "cudaEventRecord: event and stream are of different devices");
  ++event->records;
  give(
      stream, [event] { ++event->passed; }, "cudaEventRecord");
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  if (const cudaError_t status = enter("cudaStreamWaitEvent")) return status;
  expect(flags == 0 && world->streams.contains(stream) && world->events.contains(event),
         "cudaStreamWaitEvent");
  stream->work.push_back({[] {}, [event, records = event->records] { return event->passed >= records; }});
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (const cudaError_t status = enter("cudaEventQuery")) return status;
  expect(event->records - event->passed <= 1, "cudaEventQuery: recorded again before it was reached");
  if (world->random.integer(0, 1) == 1) step();
  if (world->broken) return keep(cudaErrorIllegalAddress);
  return event->records == event->passed ? cudaSuccess : keep(cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  if (const cudaError_t status = enter("cudaEventSynchronize")) return status;
  expect(event->records - event->passed <= 1, "cudaEventSynchronize: recorded again before it was reached");
  run_until([&] { return event->records == event->passed || world->broken; });
  return world->broken ? keep(cudaErrorIllegalAddress) : cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  if (const cudaError_t status = enter("cudaMemcpyAsync")) return status;
  const auto count = static_cast<std::int64_t>(bytes);
  const Memory* target = find(to, count);
  const Memory* source = find(from, count);
  expect(count > 0 && target && source, "cudaMemcpyAsync: memory that CUDA does not know");
  expect(kind == cudaMemcpyDefault, "cudaMemcpyAsync in a direction that is not faked");
  give(
      stream,
      [=] {
        if (reachable(to, count, "copy to") && reachable(from, count, "copy from"))
          std::memcpy(to, from, bytes);
      },
      "cudaMemcpyAsync");
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (const cudaError_t status = enter("cudaMemcpy")) return status;
  expect(kind == cudaMemcpyHostToDevice, "cudaMemcpy in a direction that is not faked");
  drain();
  if (on_device(to, static_cast<std::int64_t>(bytes), world->current, "cudaMemcpy"))
    std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() {
  if (const cudaError_t status = enter("cudaDeviceSynchronize")) return status;
  drain();
  return world->broken ? keep(cudaErrorIllegalAddress) : cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  if (const cudaError_t status = enter("cudaMemsetAsync")) return status;
  give(
      stream,
      [=] {
        if (on_device(to, static_cast<std::int64_t>(bytes), stream->device, "memset"))
          std::memset(to, value, bytes);
      },
      "cudaMemsetAsync");
  return cudaSuccess;
}

const char* cublasGetStatusName(cublasStatus_t status) {
  return status == CUBLAS_STATUS_EXECUTION_FAILED ? "CUBLAS_STATUS_EXECUTION_FAILED" : "CUBLAS_STATUS";
}

const char* cublasGetStatusString(cublasStatus_t) {
  return "the function failed to launch on the GPU";
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int* value) {
  const cublasStatus_t status = enter_blas("cublasGetProperty");
  *value = type == MAJOR_VERSION ? 12 : type == MINOR_VERSION ? 5 : 3;
  return status;
}

cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  const cublasStatus_t status = enter_blas("cublasCreate");
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  *handle = new cublasContext{world->current, nullptr, false, true};
  world->handles.insert(*handle);
  return status;
}

cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  const cublasStatus_t status = enter_blas("cublasDestroy");
  expect(world->handles.erase(handle) == 1, "cublasDestroy: unknown handle");
  delete handle;
  return status;
}

cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  const cublasStatus_t status = enter_blas("cublasSetStream");
  expect(stream->device == handle->device, "cublasSetStream: a stream of another device");
  handle->stream = stream;
  handle->workspace = false;  // back to the common one, as cuBLAS does
  return status;
}

cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void* memory, std::size_t bytes) {
  const cublasStatus_t status = enter_blas("cublasSetWorkspace");
  handle->workspace = on_device(memory, static_cast<std::int64_t>(bytes), handle->device, "workspace");
  return status;
}

cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode) {
  const cublasStatus_t status = enter_blas("cublasSetPointerMode");
  handle->reals_on_host = mode == CUBLAS_POINTER_MODE_HOST;
  return status;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t mode) {
  const cublasStatus_t status = enter_blas("cublasSetMathMode");
  expect(mode == CUBLAS_DEFAULT_MATH || mode == CUBLAS_PEDANTIC_MATH, "FP32 would be less");
  return status;
}

cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle) {
  const cublasStatus_t status = enter_blas("cublasXtCreate");
  *handle = reinterpret_cast<cublasXtHandle_t>(new int(0));
  return status;
}

cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle) {
  delete reinterpret_cast<int*>(handle);
  return enter_blas("cublasXtDestroy");
}

cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t, int count, int devices[]) {
  expect(count == 1 && devices[0] == world->current, "cublasXtDeviceSelect");
  return enter_blas("cublasXtDeviceSelect");
}

cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int block) {
  *reinterpret_cast<int*>(handle) = block;
  return enter_blas("cublasXtSetBlockDim");
}

cublasStatus_t cublasXtDgemm(cublasXtHandle_t handle, cublasOperation_t ta, cublasOperation_t tb,
                             std::size_t m, std::size_t n, std::size_t k, const double* alpha,
                             const double* a, std::size_t lda, const double* b, std::size_t ldb,
                             const double* beta, double* c, std::size_t ldc) {
  const cublasStatus_t status = enter_blas("cublasXtDgemm");
  if (*reinterpret_cast<int*>(handle) > 64) return CUBLAS_STATUS_ALLOC_FAILED;  // blocks without room
  const auto count = [](std::size_t extent) { return static_cast<int>(extent); };
  expect_plain(ta, tb, count(m), count(n), count(k), count(lda), count(ldb), count(ldc));
  product(count(m), count(n), count(k), *alpha, a, b, *beta, c);
  return status;
}

cublasStatus_t cublasDgemm(cublasHandle_t blas, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                           int k, const double* alpha, const double* a, int lda, const double* b, int ldb,
                           const double* beta, double* c, int ldc) {
  return gemm("cublasDgemm", blas, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

cublasStatus_t cublasSgemm(cublasHandle_t blas, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
                           int k, const float* alpha, const float* a, int lda, const float* b, int ldb,
                           const float* beta, float* c, int ldc) {
  return gemm("cublasSgemm", blas, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

cublasStatus_t cublasDgemmBatched(cublasHandle_t blas, cublasOperation_t ta, cublasOperation_t tb, int m,
                                  int n, int k, const double* alpha, const double* const a[], int lda,
                                  const double* const b[], int ldb, const double* beta, double* const c[],
                                  int ldc, int count) {
  return batched("cublasDgemmBatched", blas, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count);
}

cublasStatus_t cublasSgemmBatched(cublasHandle_t blas, cublasOperation_t ta, cublasOperation_t tb, int m,
                                  int n, int k, const float* alpha, const float* const a[], int lda,
                                  const float* const b[], int ldb, const float* beta, float* const c[],
                                  int ldc, int count) {
  return batched("cublasSgemmBatched", blas, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count);
}

cublasStatus_t cublasDgemmGroupedBatched(cublasHandle_t blas, const cublasOperation_t ta[],
                                         const cublasOperation_t tb[], const int m[], const int n[],
                                         const int k[], const double alpha[], const double* const a[],
                                         const int lda[], const double* const b[], const int ldb[],
                                         const double beta[], double* const c[], const int ldc[], int count,
                                         const int size[]) {
  return grouped("cublasDgemmGroupedBatched", blas, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,
                 count, size);
}

cublasStatus_t cublasSgemmGroupedBatched(cublasHandle_t blas, const cublasOperation_t ta[],
                                         const cublasOperation_t tb[], const int m[], const int n[],
                                         const int k[], const float alpha[], const float* const a[],
                                         const int lda[], const float* const b[], const int ldb[],
                                         const float beta[], float* const c[], const int ldc[], int count,
                                         const int size[]) {
  return grouped("cublasSgemmGroupedBatched", blas, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,
                 count, size);
}

}  // extern "C"
