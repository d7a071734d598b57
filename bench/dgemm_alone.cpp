// SPDX-License-Identifier: BSD-3-Clause
// dgemm alone: one product of a rank's panel on each core, all at once. What a run of ranks with one core
// each could reach if it moved nothing.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <barrier>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <thread>
#include <vector>

#include "executor/cpu/blas.hpp"
#include "executor/tiles/generate.hpp"
#include "executor/tiles/large_pages.hpp"
#include "executor/tiles/tile_buffer.hpp"

namespace {

using namespace foretile;

struct Options {
  std::int64_t m = 0, n = 0, k = 0;
  int cores = 2;
  int repeat = 3;
};

/// Random numbers in large pages, as the executor keeps its tiles.
TileBuffer random_matrix(std::int64_t elements, std::uint64_t key) {
  TileBuffer matrix(8 * elements);
  prefer_large_pages(matrix.bytes());
  generate_tile(matrix.as<double>(), key, 1.0);
  return matrix;
}

/// Seconds from when the first core begins until the last one has ended, for each repetition.
std::vector<double> measure(const Options& o) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> seconds;
  Clock::time_point begun;
  std::barrier<> together(o.cores);
  const auto work = [&](int core) {
    const auto key = static_cast<std::uint64_t>(core);
    const TileBuffer a = random_matrix(o.m * o.k, tile_key(1, Operand::a, core));
    const TileBuffer b = random_matrix(o.k * o.n, tile_key(1, Operand::b, core));
    const TileBuffer c = random_matrix(o.m * o.n, key);
    const auto multiply = [&](std::int64_t k) {
      gemm(o.m, o.n, k, a.as<double>().data(), o.m, b.as<double>().data(), o.k, c.as<double>().data(), o.m,
           COld::ignored);
    };
    multiply(std::min<std::int64_t>(o.k, 512));  // OpenBLAS takes its buffers
    for (int r = 0; r < o.repeat; ++r) {
      together.arrive_and_wait();
      if (core == 0) begun = Clock::now();
      multiply(o.k);
      together.arrive_and_wait();
      if (core == 0) seconds.push_back(std::chrono::duration<double>(Clock::now() - begun).count());
    }
  };
  std::vector<std::jthread> others;
  for (int core = 1; core < o.cores; ++core) others.emplace_back(work, core);
  work(0);
  return seconds;
}

int run(int argc, char** argv) {
  Options o;
  CLI::App app("Times dgemm on all cores at once: C = A B, each core with matrices of its own; prints JSON");
  const CLI::Range from_one(1, std::numeric_limits<int>::max());
  app.add_option("M", o.m, "Rows of A and C")->required()->check(from_one);
  app.add_option("N", o.n, "Columns of B and C")->required()->check(from_one);
  app.add_option("K", o.k, "Columns of A, rows of B")->required()->check(from_one);
  app.add_option("--cores", o.cores, "Threads, one product each")->check(from_one);
  app.add_option("--repeat", o.repeat, "Repetitions")->check(from_one);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const std::vector<double> seconds = measure(o);
  const double flops =
      2.0 * static_cast<double>(o.m) * static_cast<double>(o.n) * static_cast<double>(o.k) * o.cores;
  nlohmann::ordered_json json;
  json["kernels"] = blas_kernels();
  for (const double s : seconds) json["flops_per_s"].push_back(flops / s);
  fmt::print("{}\n", json.dump(2));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    foretile::choose_blas_kernels();
    return run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "dgemm_alone: {}\n", error.what());
    return 1;
  }
}
