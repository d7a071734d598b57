// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/estimate.hpp"

#include <fmt/format.h>

#include <iterator>

#include "platforms/units.hpp"

namespace foretile {

namespace {

constexpr double seconds_per_product = 150e-9;
constexpr double bytes_of_program = 32e6;
constexpr double bytes_per_tile = 100;
constexpr double worth_a_warning_s = 10;

}  // namespace

std::int64_t product_bound(const Shape& a, const Shape& b) {
  std::int64_t products = 0;
  for (std::int32_t k = 0; k < a.columns(); ++k) products += std::ssize(a.column(k)) * std::ssize(b.row(k));
  return products;
}

PlanningEstimate estimate_planning(const Contraction& p) {
  PlanningEstimate estimate = estimate_planning(product_bound(p.a, p.b));
  estimate.bytes = bytes_of_program +
                   bytes_per_tile * static_cast<double>(p.a.nonzeros() + p.b.nonzeros() + p.c.nonzeros());
  return estimate;
}

PlanningEstimate estimate_planning(std::int64_t products) {
  return {products, seconds_per_product * static_cast<double>(products), 0};
}

std::string planning_warning(const PlanningEstimate& estimate) {
  if (estimate.seconds < worth_a_warning_s) return {};
  const std::string memory =
      estimate.bytes > 0 ? fmt::format(" and {} of memory", format_quantity(estimate.bytes, Dimension::bytes))
                         : std::string();
  return fmt::format("about {:.2g} products: planning may take {}{}", static_cast<double>(estimate.products),
                     format_quantity(estimate.seconds, Dimension::seconds), memory);
}

}  // namespace foretile
