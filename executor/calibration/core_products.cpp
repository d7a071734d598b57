// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/core_products.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>

#include "executor/cpu/tile_kernel.hpp"
#include "executor/tiles/generate.hpp"
#include "executor/tiles/large_pages.hpp"
#include "platforms/cost/product.hpp"

namespace foretile {

namespace {

/// Tiles of one size in memory, each used once in a turn, neighbours long after each other: as a plan's tiles
/// do, they come from anywhere.
class TileRing {
 public:
  TileRing(std::vector<double>& memory, std::int64_t tile_bytes, std::int64_t ring_bytes)
      : memory_(reinterpret_cast<std::byte*>(memory.data())), bytes_(static_cast<std::size_t>(tile_bytes)) {
    const auto all = static_cast<std::int64_t>(memory.size() * sizeof(double));
    count_ = static_cast<std::size_t>(std::max<std::int64_t>(1, std::min(all, ring_bytes) / tile_bytes));
    stride_ = static_cast<std::size_t>(0.618 * static_cast<double>(count_)) + 1;
    while (std::gcd(stride_, count_) != 1) ++stride_;
  }

  std::byte* at(int i) { return memory_ + static_cast<std::size_t>(i) * stride_ % count_ * bytes_; }

 private:
  std::byte* memory_;
  std::size_t bytes_;
  std::size_t count_;
  std::size_t stride_;  // no common divisor with `count_`: all tiles have their turn
};

/// Products timed together: reading the clock is to cost little beside them.
int products_per_reading(const KernelSample& s) {
  constexpr double flops = 2e6;
  return 1 + static_cast<int>(flops / (2.0 * static_cast<double>(s.m * s.n) * static_cast<double>(s.k)));
}

}  // namespace

std::vector<Workspace> make_workspaces(int cores, std::int64_t bytes_per_core, std::int64_t largest) {
  const std::int64_t third = bytes_per_core / 3 / static_cast<std::int64_t>(sizeof(double));
  const auto elements = static_cast<std::size_t>(std::max(third, largest * largest));
  std::vector<Workspace> all(static_cast<std::size_t>(cores));
  for (Workspace& space : all) {
    for (std::vector<double>* memory : {&space.a, &space.b, &space.c}) {
      memory->reserve(elements);
      prefer_large_pages(std::as_writable_bytes(std::span(memory->data(), elements)));
      memory->resize(elements);
    }
  }
  return all;
}

void fill(std::vector<Workspace>& spaces, Precision precision) {
  for (std::size_t core = 0; core < spaces.size(); ++core) {
    for (std::vector<double>* memory : {&spaces[core].a, &spaces[core].b, &spaces[core].c}) {
      const auto bytes = static_cast<std::int64_t>(memory->size() * sizeof(double));
      generate_tile(precision, reinterpret_cast<std::byte*>(memory->data()), bytes / bytes_of(precision),
                    core, 1);
    }
  }
}

Timing time_product(const Repetition& repetition, std::vector<Workspace>& spaces, ElementType element,
                    const KernelSample& shape, std::int64_t ring_bytes) {
  const std::int64_t m = shape.m, n = shape.n, k = shape.k;
  const std::int64_t size = element.bytes();
  const int inner = products_per_reading(shape);
  const TileKernel kernel({element}, m, n, k, COld::added);
  Timing timing = time_on_all_cores(repetition, [&](int core, int i) {
    Workspace& space = spaces[static_cast<std::size_t>(core)];
    TileRing a(space.a, m * k * size, ring_bytes), b(space.b, k * n * size, ring_bytes),
        c(space.c, m * n * size, ring_bytes);
    for (int at = i * inner; at < (i + 1) * inner; ++at) {
      kernel(a.at(at / kProductsWithA), b.at(at), c.at(at));
    }
  });
  for (double& seconds : timing.seconds) seconds /= inner;
  return timing;
}

}  // namespace foretile
