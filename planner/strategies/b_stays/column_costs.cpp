// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/b_stays/column_costs.hpp"

#include <algorithm>

#include "platforms/cost/copy.hpp"
#include "platforms/cost/generation.hpp"
#include "platforms/cost/product.hpp"

namespace foretile {

namespace {

class Counter {
 public:
  Counter(const Contraction& p, const Machine& machine, const PlanFrame& frame)
      : p_(p),
        machine_(machine),
        platform_(machine.platform),
        least_(machine, p.element(), frame.batch),
        grid_rows_(frame.grid.p),
        gpu_(platform_.device.kind == DeviceKind::gpu),
        generation_(machine, p.sources.b == Source::in_file),
        in_c_(p.m.tiles(), -1),
        stored_(p.m.tiles(), -1) {}

  ColumnCosts count() {
    for (std::int32_t j = 0; j < p_.n.tiles(); ++j) add_column(j);
    for (std::int32_t k = 0; k < p_.k.tiles(); ++k) add_row(k);
    return std::move(costs_);
  }

 private:
  struct Column {
    double copy_s = 0, product_s = 0, make_s = 0, bytes = 0;
  };

  void add_column(std::int32_t j) {
    for (const std::int32_t i : p_.c.column(j)) in_c_[i] = j;
    Column column;
    rows_.clear();
    for (const std::int32_t k : p_.b.column(j)) {
      if (!add_products(k, j, column)) continue;
      rows_.push_back(k);
      add_b(p_.element_bytes() * p_.k.size(k) * p_.n.size(j), column);
    }
    costs_.rows.add_column(rows_);
    costs_.copy_s.push_back(column.copy_s);
    costs_.product_s.push_back(column.product_s);
    costs_.make_s.push_back(column.make_s);
    costs_.bytes.push_back(column.bytes);
  }

  /// Whether B_kj has any products.
  bool add_products(std::int32_t k, std::int32_t j, Column& column) {
    double seconds = 0;
    std::int64_t products = 0;
    for (const std::int32_t i : p_.a.column(k)) {
      if (in_c_[i] != j) continue;
      ++products;
      seconds += least_.work(p_.m.size(i), p_.n.size(j), p_.k.size(k));
      if (stored_[i] != j) add_c(p_.element_bytes() * p_.m.size(i) * p_.n.size(j), column);
      stored_[i] = j;
    }
    column.product_s += (seconds + least_.launches(products)) / grid_rows_;
    return products > 0;
  }

  void add_c(std::int64_t bytes, Column& column) const {
    column.bytes += static_cast<double>(bytes) / grid_rows_;
    if (gpu_) column.copy_s += other_copy_cost(platform_.runtime, bytes).manager_s() / grid_rows_;
  }

  /// Cores that compute make B beside it, each its part.
  void add_b(std::int64_t bytes, Column& column) const {
    const auto amount = static_cast<double>(bytes);
    column.bytes += amount;
    if (generation_.on_device()) {
      column.copy_s += generation_.device_s(amount);
      return;
    }
    // Of a file, all ranks of the node have each its share.
    const double make_s = std::max(generation_.core_s(amount) / machine_.cores_per_rank(),
                                   generation_.file_s(amount * machine_.ranks_per_node));
    if (gpu_) {
      column.make_s += make_s;
      column.copy_s += load_s(HostTile::generated, bytes);
    } else {
      column.product_s += make_s;
    }
  }

  void add_row(std::int32_t k) {
    double each_s = 0, once_s = 0;
    for (const TileId a : p_.a.column_ids(k)) {
      if (!gpu_) {
        each_s += platform_.runtime.load_overhead_s;
        continue;
      }
      const double any_s = other_copy_cost(platform_.runtime, p_.a_bytes(a)).manager_s();
      each_s += any_s;
      once_s += load_s(HostTile::received, p_.a_bytes(a)) - any_s;
    }
    costs_.row_s.push_back(each_s / grid_rows_);
    costs_.shared_row_s.push_back(once_s / grid_rows_);
  }

  double load_s(HostTile from, std::int64_t bytes) const {
    const CopyCost cost = copy_in_cost(platform_, from, bytes);
    return cost.manager_s() + host_to_device_s(platform_, static_cast<double>(cost.linked_bytes));
  }

  const Contraction& p_;
  const Machine& machine_;
  const Platform& platform_;
  LeastTimes least_;
  double grid_rows_;
  bool gpu_;
  GenerationTimes generation_;
  std::vector<std::int32_t> in_c_, stored_;  // by tile row: the last column that has it, or stores it
  std::vector<std::int32_t> rows_;           // of the column at hand
  ColumnCosts costs_;
};

}  // namespace

ColumnCosts column_costs(const Contraction& contraction, const Machine& machine, const PlanFrame& frame,
                         std::int64_t block_bytes) {
  ColumnCosts costs = Counter(contraction, machine, frame).count();
  costs.block_bytes = static_cast<double>(block_bytes);
  return costs;
}

}  // namespace foretile
