// SPDX-License-Identifier: BSD-3-Clause
// What the cores could do at best on the examples' own tiles: products by dgemm and generation of B, both
// cores busy. The executor's limit is flops / rate + bytes / rate, both summed over the cores.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <vector>

#include "base/random.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/tiles/generate.hpp"
#include "planner/problem/kinds/problem.hpp"

namespace {

using namespace foretile;

/// More than any cache holds; every thread has its own.
constexpr std::int64_t kPoolDoubles = 16 << 20;

struct Sample {
  std::int64_t m, n, k;
};

/// Products drawn at random from all of the contraction's, each as likely as any other.
std::vector<Sample> sample_products(const Contraction& p, std::uint64_t seed, std::size_t count) {
  Random random(seed);
  std::vector<Sample> samples;
  while (samples.size() < count) {
    const TileId a = random.integer(0, p.a.nonzeros() - 1);
    const std::int32_t k = p.a.column_of(a);
    const auto columns = p.b.row(k);
    // A_ik with many products must be drawn more often.
    if (random.integer(0, p.n.tiles() - 1) >= static_cast<std::int64_t>(columns.size())) continue;
    const std::int32_t j = columns[random.integer(0, static_cast<std::int64_t>(columns.size()) - 1)];
    if (p.c.contains(p.a.row_of(a), j))
      samples.push_back({p.m.size(p.a.row_of(a)), p.n.size(j), p.k.size(k)});
  }
  return samples;
}

void products_of_c12(benchmark::State& state) {
  static const Contraction contraction = build_contraction(load_problem("c12"));
  const auto samples = sample_products(contraction, 1, 200);
  std::vector<double> pool(kPoolDoubles, 0.5);
  double flops = 0;
  std::size_t next = 0;
  std::int64_t at = 0;
  const auto take = [&](std::int64_t elements) {
    if (at + elements > kPoolDoubles) at = 0;
    return pool.data() + (at += elements) - elements;
  };
  for (auto _ : state) {
    const auto [m, n, k] = samples[next++ % samples.size()];
    gemm(m, n, k, take(m * k), m, take(k * n), k, take(m * n), m);
    flops += 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  }
  state.counters["flops_per_s"] = benchmark::Counter(flops, benchmark::Counter::kIsRate);
}
BENCHMARK(products_of_c12)->Threads(2)->UseRealTime()->MinTime(3.0);

/// Large enough that a larger one is no faster: the limit of dense products.
void large_products(benchmark::State& state) {
  constexpr std::int64_t n = 2048;
  std::vector<double> a(n * n, 0.5);
  std::vector<double> b(n * n, 0.25);
  std::vector<double> c(n * n, 0.0);
  for (auto _ : state) gemm(n, n, n, a.data(), n, b.data(), n, c.data(), n);
  state.counters["flops_per_s"] = benchmark::Counter(
      2.0 * n * n * n * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(large_products)->Threads(2)->UseRealTime()->MinTime(1.5);

void generate_tiles(benchmark::State& state) {
  std::vector<double> pool(kPoolDoubles);
  constexpr std::int64_t tile = std::int64_t{450} * 450;
  std::int64_t at = 0;
  for (auto _ : state) {
    if (at + tile > kPoolDoubles) at = 0;
    generate_tile({pool.data() + at, static_cast<std::size_t>(tile)}, tile_key(1, Operand::b, at), 1.0);
    at += tile;
  }
  state.counters["bytes_per_s"] =
      benchmark::Counter(8.0 * tile * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}
BENCHMARK(generate_tiles)->Threads(2)->UseRealTime()->MinTime(1.0);

}  // namespace
