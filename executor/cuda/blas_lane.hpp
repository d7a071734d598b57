// SPDX-License-Identifier: BSD-3-Clause
// Products of tiles on one stream, by cuBLAS.
#pragma once

#include <span>
#include <tuple>

#include "base/product_form.hpp"
#include "executor/cuda/blas_calls.hpp"
#include "executor/cuda/owned.hpp"
#include "executor/cuda/pointer_ring.hpp"
#include "executor/cuda/products.hpp"

namespace foretile {

/// Whether cuBLAS has grouped batched products and the environment allows them: FORETILE_GROUPED=0 does not.
/// Throws InputError for other values than 0 and 1.
bool wants_grouped();

/// For their memory.
using KeptLists = std::tuple<GroupLists<double>, GroupLists<float>>;

/// Products of one shape are one launch. Products of several shapes are one grouped batched launch where they
/// are few of a shape, else one launch per shape, whose cost so many products share. What is chosen follows
/// from the launch alone, or results would not repeat.
class BlasLane {
 public:
  /// On the current device, which must stay current in all calls. `ring` addresses fit into its lists, at
  /// least 3. Without `grouped`, products of several shapes are always a launch per shape. Throws WorkError.
  explicit BlasLane(cudaStream_t stream, std::int64_t ring = 98304, bool grouped = wants_grouped());

  /// See Gpu::multiply().
  void multiply(const ProductForm& form, std::span<const TileProduct> products);

 private:
  template <typename Number>
  void run(const ProductForm& form, std::span<const TileProduct> products);

  cudaStream_t stream_;
  bool grouped_;
  OwnedDeviceMemory workspace_;
  PointerRing ring_;
  ProductSorter sorter_;
  KeptLists lists_;
  Blas blas_;  ///< goes before its workspace
};

}  // namespace foretile
