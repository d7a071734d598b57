// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/b_stays/column_costs.hpp"

#include <gtest/gtest.h>

#include "tests/planner/small_machine.hpp"

namespace foretile::column_costs_test {
namespace {

using Rows = std::vector<std::int32_t>;

/// M = 2 + 4, K = 3 + 1, N = 1 + 2 (tile sizes); C_10 is not kept.
///        k0 k1         j0 j1         j0 j1
///   A: i0 x  .    B: k0 x  x    C: i0 x  x
///      i1 x  x       k1 x  x       i1 .  x
/// Column 0 has one product, A00 B00: row k1 has none. Column 1 has A00 B01, A10 B01 and A11 B11.
Contraction two_columns() {
  Contraction p{"",
                Tiling::from_sizes({2, 4}),
                Tiling::from_sizes({1, 2}),
                Tiling::from_sizes({3, 1}),
                Shape(2, 2, {{0, 0}, {1, 0}, {1, 1}}),
                Shape::dense(2, 2),
                Shape(2, 2, {{0, 0}, {0, 1}, {1, 1}}),
                0};
  p.sources.b = Source::made;
  return p;
}

Rows rows_of(const ColumnCosts& costs, std::int32_t column) {
  const auto rows = costs.rows.of(column);
  return {rows.begin(), rows.end()};
}

/// Bytes: column 0 has B00 (24) and C00 (16); column 1 B01 (48), B11 (16), C01 (32), C11 (64).
/// Copies take 1 s of software each, and from unpinned memory 0.5 s for 16 bytes:
///   column 0: 1 + 24 / 32 for B, 1 for C; column 1: 2 + 64 / 32, and 2.
///   Tiles of A: A00 48 bytes, A10 96, A11 32. Row k0 needs two tiles: 2 s, and (48 + 96) / 32 = 4.5 s once;
///   row k1 one tile: 1 s and 1 s.
/// Making takes 4 cores 1 s for 4 bytes: 24 / 4 = 6 s, 64 / 4 = 16 s.
/// Products at 2 flop/s: 2 m n k = 12, 1 launch of 10 s; column 1: 24 + 48 + 16 = 88 and 3 launches.
TEST(ColumnCosts, ByHand) {
  Machine machine = small_machine(1, 1, 10000, 100000);
  Platform& p = machine.platform;
  p.runtime.copy_overhead_s = 1;
  p.runtime.unpinned = {32, 32, 32};
  p.generation_bytes_per_s_per_core = 1;
  p.device.kernel.rate_flops_per_s = 2;
  p.device.kernel.latency_s = 10;
  const ColumnCosts costs = column_costs(two_columns(), machine, {}, 500);
  EXPECT_EQ(rows_of(costs, 0), (Rows{0}));
  EXPECT_EQ(rows_of(costs, 1), (Rows{0, 1}));
  EXPECT_EQ(costs.bytes, (std::vector<double>{40, 160}));
  EXPECT_EQ(costs.block_bytes, 500);
  EXPECT_EQ(costs.copy_s, (std::vector<double>{2.75, 6}));
  EXPECT_EQ(costs.row_s, (std::vector<double>{2, 1}));
  EXPECT_EQ(costs.shared_row_s, (std::vector<double>{4.5, 1}));
  EXPECT_EQ(costs.make_s, (std::vector<double>{6, 16}));
  EXPECT_EQ(costs.product_s, (std::vector<double>{6 + 10, 44 + 30}));
}

/// Two grid rows: half of A, C and the products; B is made by both.
TEST(ColumnCosts, GridRowsShareRowsOfC) {
  Machine machine = small_machine(2, 1, 10000, 100000);
  machine.platform.runtime.copy_overhead_s = 1;
  PlanFrame frame;
  frame.grid = {2, 1};
  const ColumnCosts costs = column_costs(two_columns(), machine, frame, 500);
  EXPECT_EQ(costs.copy_s, (std::vector<double>{1 + 0.5, 2 + 1}));
  EXPECT_EQ(costs.row_s, (std::vector<double>{1, 0.5}));
  EXPECT_EQ(costs.bytes, (std::vector<double>{24 + 8, 64 + 48}));
}

/// Cores have their tiles in host memory: nothing is copied, and they make B beside their products.
TEST(ColumnCosts, CoresMakeBBesideTheirProducts) {
  Machine machine = small_machine(1, 1, 10000, 100000);
  Platform& p = machine.platform;
  p.device.kind = DeviceKind::core;
  p.runtime.load_overhead_s = 3;
  p.device.kernel.rate_flops_per_s = 2;
  p.generation_bytes_per_s_per_core = 1;
  const ColumnCosts costs = column_costs(two_columns(), machine, {}, 500);
  EXPECT_EQ(costs.copy_s, (std::vector<double>{0, 0}));
  EXPECT_EQ(costs.make_s, (std::vector<double>{0, 0}));
  EXPECT_EQ(costs.product_s, (std::vector<double>{6 + 6, 44 + 16}));
  EXPECT_EQ(costs.row_s, (std::vector<double>{6, 3}));
}

/// Devices that make B have no use for cores.
TEST(ColumnCosts, DevicesThatMakeB) {
  Machine machine = small_machine(1, 1, 10000, 100000);
  machine.platform.generation_bytes_per_s_on_device = 8;
  const ColumnCosts costs = column_costs(two_columns(), machine, {}, 500);
  EXPECT_EQ(costs.copy_s, (std::vector<double>{3, 8}));
  EXPECT_EQ(costs.make_s, (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace foretile::column_costs_test
