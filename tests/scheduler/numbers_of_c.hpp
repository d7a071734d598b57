// SPDX-License-Identifier: BSD-3-Clause
// What a run on a fake cluster must end with, found without a plan.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "planner/strategies/strategy.hpp"
#include "planner/verify/verify.hpp"
#include "tests/scheduler/fake_backend.hpp"

namespace foretile {

using NumbersOfC = std::map<TileId, std::pair<double, double>>;

/// Of each tile of C: its number by the sum over K alone, without a plan, and the sum of the sizes of its
/// terms.
inline NumbersOfC numbers_of_c(const Contraction& p) {
  NumbersOfC c;
  for (TileId tile = 0; tile < p.c.nonzeros(); ++tile) {
    double sum = 0;
    for (std::int32_t k = 0; k < p.k.tiles(); ++k) {
      const auto a = p.a.find(p.c.row_of(tile), k);
      const auto b = p.b.find(k, p.c.column_of(tile));
      if (a && b) sum += number_of({Matrix::a, *a}) * number_of({Matrix::b, *b});
    }
    const double before = p.reads_c() ? number_of({Matrix::c, tile}) : 0;
    c[tile] = {p.beta.real() * before + p.alpha.real() * sum,
               std::abs(p.beta.real()) * before + std::abs(p.alpha.real()) * sum};
  }
  return c;
}

inline void expect_numbers(const FakeCluster& cluster, const NumbersOfC& expected) {
  EXPECT_TRUE(cluster.complaints.empty()) << cluster.complaints.front();
  EXPECT_EQ(cluster.c.size(), expected.size());
  for (const auto& [tile, number] : cluster.c)
    EXPECT_NEAR(number, expected.at(tile).first, 1e-12 * expected.at(tile).second) << "C" << tile;
}

/// The plan, or nothing where it is refused, which must say how many bytes are missing.
inline std::optional<Plan> plan_or_refusal(const Contraction& p, const Machine& machine,
                                           const Settings& settings) {
  try {
    Plan plan = make_plan(p, machine, settings);
    verify(plan, p);
    return plan;
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find(" bytes are missing"), std::string::npos) << error.what();
    return std::nullopt;
  }
}

}  // namespace foretile
