// SPDX-License-Identifier: BSD-3-Clause
// Kernels of ours and functions of CUDA's runtime, on the CPU.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "combine_threads.hpp"
#include "executor/cuda/kernels.hpp"
#include "fake_world.hpp"

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

namespace {

/// A kernel reaches memory of its device and all pinned memory.
bool in_reach_of_kernel(const void* begin, std::int64_t bytes, int device) {
  const Memory* memory = find(begin, bytes);
  if (memory && memory->device == kPinned) return true;
  return on_device(begin, bytes, device, "combine");
}

template <typename Real>
void combine(const CombineLaunch& launch, int device) {
  for (int t = 0; t < launch.count; ++t) {
    const CombineWork& work = launch.tiles[t];
    const std::int64_t bytes = work.elements * std::int64_t{sizeof(Real)};
    if (in_reach_of_kernel(work.from, bytes, device) && in_reach_of_kernel(work.to, bytes, device))
      play_threads<Real>(work);
  }
}

}  // namespace

cudaError_t launch_combine(const CombineLaunch& launch, Precision precision, cudaStream_t stream) {
  if (const cudaError_t status = enter("cudaLaunchKernel")) return status;
  ++world->calls["launch_combine"];
  expect(stream->device == world->current, "combine: another device is current");
  expect(launch.count > 0, "combine: an empty launch");
  give(
      stream,
      [launch, precision, device = stream->device] {
        if (precision == Precision::f64) {
          combine<double>(launch, device);
        } else {
          combine<float>(launch, device);
        }
      },
      "combine");
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
  world->contexts.insert(world->current);
  *total = static_cast<std::size_t>(world->options.memory_bytes);
  *free = static_cast<std::size_t>(world->options.memory_bytes - world->used[world->current]);
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  if (const cudaError_t status = enter("cudaMalloc")) return status;
  world->contexts.insert(world->current);
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
  world->contexts.insert(world->current);
  const auto wanted = static_cast<std::int64_t>(bytes);
  expect(flags == cudaHostAllocPortable, "cudaHostAlloc: not for all devices");
  if (world->used[kPinned] + wanted > world->options.pinned_bytes) return keep(cudaErrorMemoryAllocation);
  *memory = take(wanted, kPinned);
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned flags) {
  if (const cudaError_t status = enter("cudaHostRegister")) return status;
  world->contexts.insert(world->current);
  expect((flags & cudaHostRegisterPortable) != 0, "cudaHostRegister: not for all devices");
  const auto wanted = static_cast<std::int64_t>(bytes);
  if (find(memory, wanted) || locked_in_part(memory, wanted))
    return keep(cudaErrorHostMemoryAlreadyRegistered);
  if (world->options.read_only_memory && (flags & cudaHostRegisterReadOnly) == 0)
    return keep(cudaErrorInvalidValue);
  world->memory[static_cast<std::byte*>(memory)] = {wanted, kPinned, true};
  return cudaSuccess;
}

cudaError_t cudaHostUnregister(void* memory) {
  if (const cudaError_t status = enter("cudaHostUnregister")) return status;
  const auto found = world->memory.find(static_cast<std::byte*>(memory));
  expect(found != world->memory.end() && found->second.foreign, "cudaHostUnregister: not registered");
  drain();
  if (found != world->memory.end()) world->memory.erase(found);
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
  if (const cudaError_t status = enter("cudaPointerGetAttributes")) return status;
  *attributes = {};
  const Memory* const found = find(memory, 1);
  if (!found) return cudaSuccess;
  attributes->type = found->device == kPinned ? cudaMemoryTypeHost : cudaMemoryTypeDevice;
  return cudaSuccess;
}

cudaError_t cudaFreeHost(void* memory) {
  const cudaError_t status = enter("cudaFreeHost");
  release(memory, true, "cudaFreeHost");
  return status;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (const cudaError_t status = enter("cudaDeviceGetStreamPriorityRange")) return status;
  *least = 0;
  *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  if (const cudaError_t status = enter("cudaStreamCreateWithPriority")) return status;
  expect(flags == cudaStreamNonBlocking, "a stream that waits for the default one");
  expect(priority <= 0 && priority >= -5, "a priority out of range");
  world->contexts.insert(world->current);
  world->priorities.push_back(priority);
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
  if (locked_in_part(to, count) || locked_in_part(from, count)) return keep(cudaErrorInvalidValue);
  const bool known = find(to, count) && find(from, count);
  expect(count > 0 && (known || world->options.ordinary_memory),
         "cudaMemcpyAsync: memory that CUDA does not know");
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

cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_step, const void* from, std::size_t from_step,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  if (const cudaError_t status = enter("cudaMemcpy2DAsync")) return status;
  expect(kind == cudaMemcpyDefault, "cudaMemcpy2DAsync in a direction that is not faked");
  expect(width > 0 && height > 0 && to_step >= width && from_step >= width, "cudaMemcpy2DAsync: steps");
  const auto whole = [&](std::size_t step) { return static_cast<std::int64_t>((height - 1) * step + width); };
  if (locked_in_part(to, whole(to_step)) || locked_in_part(from, whole(from_step)))
    return keep(cudaErrorInvalidValue);
  give(
      stream,
      [=] {
        for (std::size_t row = 0; row < height; ++row) {
          auto* const target = static_cast<std::byte*>(to) + row * to_step;
          const auto* const source = static_cast<const std::byte*>(from) + row * from_step;
          const auto count = static_cast<std::int64_t>(width);
          if (reachable(target, count, "copy to") && reachable(source, count, "copy from"))
            std::memcpy(target, source, width);
        }
      },
      "cudaMemcpy2DAsync");
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

}  // extern "C"
