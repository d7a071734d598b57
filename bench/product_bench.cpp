// SPDX-License-Identifier: BSD-3-Clause
// The products of a plan without a runtime: what the cores' kernels reach on the same tiles in the same
// order.
//   product_bench PLAN.json
// One thread for each device of the plan multiplies this device's products in the plan's order; tiles of A, B
// and C are in memory before the clock starts. The fastest of up to three rounds, as JSON. For plans for
// cores.
#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <thread>
#include <vector>

#include "executor/cpu/product_kernels.hpp"
#include "executor/tiles/generate.hpp"
#include "executor/tiles/large_pages.hpp"
#include "executor/tiles/tile_buffer.hpp"
#include "planner/plan/products.hpp"
#include "planner/plan_file.hpp"

namespace foretile {
namespace {

constexpr int kRounds = 3;
constexpr double kEnough_s = 3;  // no further round beyond it

/// All tiles of a matrix, one after the other in memory.
class Tiles {
 public:
  template <class Bytes>
  Tiles(Precision precision, TileId tiles, Bytes bytes) : starts_(1, 0) {
    for (TileId id = 0; id < tiles; ++id) starts_.push_back(starts_.back() + aligned(bytes(id)));
    memory_ = TileBuffer(starts_.back());
    prefer_large_pages(memory_.bytes());
    generate_tile(precision, memory_.data(), starts_.back() / bytes_of(precision), 1, 1);
  }
  std::byte* at(TileId id) { return memory_.data() + starts_[static_cast<std::size_t>(id)]; }

 private:
  static std::int64_t aligned(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

  std::vector<std::int64_t> starts_;
  TileBuffer memory_;
};

struct Matrices {
  explicit Matrices(const Contraction& p)
      : a(p.precision, p.a.nonzeros(), [&](TileId id) { return p.a_bytes(id); }),
        b(p.precision, p.b.nonzeros(), [&](TileId id) { return p.b_bytes(id); }),
        c(p.precision, p.c.nonzeros(), [&](TileId id) { return p.c_bytes(id); }) {}
  Tiles a, b, c;
};

/// Returns how many products there were. The first one of a tile of C ignores what is there, as in a run.
std::int64_t multiply(const Contraction& p, const DevicePlan& device, ProductKernels& kernels,
                      Matrices& tiles) {
  std::int64_t count = 0;
  for (const Block& block : device.blocks) {
    const BlockProducts products(p, block.columns);
    std::vector<bool> touched(static_cast<std::size_t>(products.c_slots()), p.reads_c());
    for (const Chunk& chunk : block.chunks) {
      for_each_product(products, chunk, [&](const Product& x) {
        const auto slot = static_cast<std::size_t>(x.c_slot);
        const COld old = touched[slot] ? COld::added : COld::ignored;
        touched[slot] = true;
        kernels.of(x, old)(tiles.a.at(x.a), tiles.b.at(x.b), tiles.c.at(x.c));
        ++count;
      });
    }
  }
  return count;
}

std::vector<const DevicePlan*> devices_of(const Plan& plan) {
  std::vector<const DevicePlan*> devices;
  for (const RankPlan& rank : plan.ranks) {
    for (const DevicePlan& device : rank.devices) devices.push_back(&device);
  }
  return devices;
}

/// Seconds until the last thread has ended.
double round_seconds(const PlannedWork& work, Matrices& tiles, std::vector<ProductKernels>& kernels) {
  using Clock = std::chrono::steady_clock;
  const auto devices = devices_of(work.plan);
  Clock::time_point begun;
  std::barrier start(std::ssize(devices), [&]() noexcept { begun = Clock::now(); });
  std::vector<std::thread> threads;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    threads.emplace_back([&, d] {
      start.arrive_and_wait();
      multiply(work.contraction, *devices[d], kernels[d], tiles);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return std::chrono::duration<double>(Clock::now() - begun).count();
}

void measure(const char* path) {
  choose_blas_kernels();
  const PlannedWork work = rebuild(load_plan_file(path));
  Matrices tiles(work.contraction);
  std::vector<ProductKernels> kernels(
      devices_of(work.plan).size(),
      ProductKernels(work.contraction, product_form(work.plan, work.contraction)));
  round_seconds(work, tiles, kernels);
  std::vector<double> seconds;
  for (double spent = 0; std::ssize(seconds) < kRounds && spent < kEnough_s; spent += seconds.back())
    seconds.push_back(round_seconds(work, tiles, kernels));
  const double best = *std::min_element(seconds.begin(), seconds.end());
  fmt::print("{{\"products\": {}, \"seconds\": {:.9g}, \"flops_per_s\": {:.9g}, \"kernels\": \"{}\"}}\n",
             work.summary.gemms, best, traits(work.contraction).flops / best,
             tile_kernels(uses_small_products(work.contraction)));
}

}  // namespace
}  // namespace foretile

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: product_bench PLAN.json\n");
    return 2;
  }
  try {
    foretile::measure(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "product_bench: %s\n", error.what());
    return 1;
  }
}
