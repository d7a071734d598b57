// SPDX-License-Identifier: BSD-3-Clause
// Prints the traits of problems as a Markdown table: problem_traits c65-v1 c65-v2 c65-v3
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "base/error.hpp"
#include "planner/problem/kinds/problem.hpp"

namespace {

void print(const std::string& name) {
  const auto start = std::chrono::steady_clock::now();
  const foretile::Contraction c = foretile::build_contraction(foretile::load_problem(name));
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  const foretile::Traits t = foretile::traits(c);
  fmt::print(
      "| {} | {} x {} x {} | {} x {} | {:.2f} | {} | {:.0f} | {:.0f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | "
      "{:.1f} | {:.1f} | {:.2f} |\n",
      c.name, t.m, t.n, t.k, t.m_tiles, t.n_tiles, t.flops / 1e12, t.gemms,
      static_cast<double>(t.m) / t.m_tiles, static_cast<double>(t.n) / t.n_tiles, 100 * t.a_density,
      100 * t.b_density, 100 * t.c_density, static_cast<double>(t.a_bytes) / 1e9,
      static_cast<double>(t.b_bytes) / 1e9, static_cast<double>(t.c_bytes) / 1e9, seconds.count());
}

}  // namespace

int main(int count, char** arguments) {
  try {
    fmt::print(
        "| problem | M x N x K | tile rows x columns | Tflop | GEMMs | mean rows | mean columns | A % | B % "
        "| C % | A GB | B GB | C GB | built in s |\n");
    fmt::print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 1; i < count; ++i) print(arguments[i]);
  } catch (const foretile::InputError& e) {
    fmt::print(stderr, "{}\n", e.what());
    return 2;
  }
  return 0;
}
