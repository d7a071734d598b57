// SPDX-License-Identifier: BSD-3-Clause
// The few things that the GPU back end asks of GPUs. executor/cuda has them over CUDA, stand_in.hpp over
// threads of the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/product_form.hpp"

namespace foretile {

/// Work of one lane is done in the order given; lanes do not wait for each other. CUDA: a stream.
using Lane = int;
inline constexpr Lane kInLane = 0;        ///< host to device
inline constexpr Lane kOutLane = 1;       ///< device to host
inline constexpr Lane kPeerLane = 2;      ///< from other devices
inline constexpr Lane kGenerateLane = 3;  ///< numbers made on the device
inline constexpr Lane kFirstKernelLane = 4;

/// Bytes from one address to another; either may be on a device or in host memory. With `count` above 1 as
/// many such, each the steps behind the one before; steps are at least `bytes`.
struct CopyPiece {
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::int64_t bytes = 0;
  std::int64_t count = 1;
  std::int64_t to_step = 0, from_step = 0;
};

/// C = alpha op(A) op(B) when `first`, whatever is in C (it is not read), else C += alpha op(A) op(B).
/// Column-major without gaps: op(A) is m x k, op(B) is k x n, C is m x n. All on the device.
struct TileProduct {
  std::int64_t m = 0, n = 0, k = 0;
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
  std::byte* c = nullptr;
  bool first = false;
};

/// A tile to be filled as generate_tile() does (executor/tiles/generate.hpp), with the same bits.
struct TileToMake {
  std::byte* to = nullptr;
  std::int64_t elements = 0;
  std::uint64_t key = 0;
  double norm = 0;
};

/// to = beta to + factor from with the indices permuted, as combine_tile() does it
/// (executor/cpu/combine.hpp), with the same bits. Both are on the device or in memory of allocate_host().
struct TileToCombine {
  std::span<const std::int64_t> extents;  ///< of `to`; valid during the call only
  std::span<const int> permutation;       ///< index d of `to` is permutation[d] of `from`; valid as long
  double beta = 1, factor = 1;
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
};

/// One logical device: a share of the memory of a physical one, and lanes of its own. All calls come from one
/// thread and, but for the constructor's and `allocate`, return before the work is done. They throw WorkError
/// with the name of the failing call and the library's text; errors of earlier work may show in any later
/// call.
class Gpu {
 public:
  virtual ~Gpu() = default;

  /// Memory on the device, aligned to 256 bytes, kept until this object goes. Slow: call before the clock
  /// starts. Throws WorkError that says how many bytes are missing.
  virtual std::byte* allocate(std::int64_t bytes) = 0;
  /// One piece after the other; a piece may overwrite what an earlier one has read. Host memory should be
  /// from allocate_host(): from other memory copies are right, but slow, and the call may wait for their end.
  virtual void copy(Lane lane, std::span<const CopyPiece> pieces) = 0;
  /// In one launch if the library can. No two products have the same C. Extents may be 0. On kernel lanes
  /// only. Throws InputError for an extent of 2^31 or more.
  virtual void multiply(Lane lane, const ProductForm& form, std::span<const TileProduct> products) = 0;
  virtual void make(Lane lane, Precision precision, std::span<const TileToMake> tiles) = 0;
  /// In few launches. No tile is the `to` of two, or `from` of one and `to` of another. On any lane. Throws
  /// InputError for what is no permutation of the extents and for more than 8 of them with one.
  virtual void combine(Lane lane, Precision precision, std::span<const TileToCombine> tiles) = 0;

  /// What is given to `lane` from here on starts when all that was given to `other` so far has ended.
  virtual void follow(Lane lane, Lane other) = 0;

  /// A point behind all work given to the lane so far. Points of a lane count 1, 2, 3, ...
  virtual std::uint64_t mark(Lane lane) = 0;
  /// The last point of the lane that was reached; 0 for none. Does not wait.
  virtual std::uint64_t reached(Lane lane) = 0;
};

/// What is known of a physical device.
struct GpuFacts {
  std::string name;               ///< "NVIDIA H200"
  std::string library;            ///< "CUDA 13.0, cuBLAS 13.1.0"; what computes
  std::int64_t memory_bytes = 0;  ///< installed
  std::int64_t free_bytes = 0;    ///< when asked
};

/// The GPUs of this node.
class Gpus {
 public:
  virtual ~Gpus() = default;
  /// Physical devices, at least 1.
  virtual int count() const = 0;
  virtual GpuFacts facts(int physical) = 0;
  /// A logical device on a physical one, with `kernel_lanes` lanes from kFirstKernelLane on. It must go
  /// before this object. Takes memory of the physical one beside what is allocated later: workspaces here,
  /// and the library's kernels when they are first used, so not all that is free may be allocated.
  virtual std::unique_ptr<Gpu> open(int physical, int kernel_lanes) = 0;
  /// Whether copies between the two go directly; else through the host.
  virtual bool direct(int from, int to) = 0;
  /// Whether memory of devices is memory of the host, from which any MPI sends.
  virtual bool memory_is_host() const { return false; }
  /// The physical device through which host memory is taken from now on: one that is used anyway, for it
  /// costs memory on it. 0 unless said.
  virtual void use_for_host(int) {}
  /// Host memory that devices copy from and to at full speed, aligned to 256 bytes. Slow. Throws WorkError
  /// that says how much was asked for.
  virtual std::byte* allocate_host(std::int64_t bytes) = 0;
  virtual void free_host(std::byte* memory) = 0;
  /// Whether combine() reads this memory: a device's, or from allocate_host().
  virtual bool reaches(const std::byte*) const { return true; }
  /// Makes whole pages of a caller's memory as fast to copy from and to as that of allocate_host(),
  /// until unregister_host(); false where the system does not let it.
  virtual bool register_host(std::byte*, std::int64_t /*bytes*/, bool /*read_only*/) { return false; }
  virtual void unregister_host(std::byte*) {}
  /// Lets up to `seconds` pass, less when some lane may have reached a point.
  virtual void pause(double seconds) = 0;
};

}  // namespace foretile
