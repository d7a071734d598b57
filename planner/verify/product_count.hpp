// Whether the plan computes every product.
#pragma once

#include <cstdint>

#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"

namespace foretile {

/// Products A_ik B_kj with both nonzero and ij in C.
std::int64_t count_products(const Contraction& contraction);

/// For a plan that computes no product twice, and `computed` altogether: throws InputError that names the
/// first missing one unless these are all. Only then it looks at single products, with a bit for each.
void require_all_products(const Plan& plan, const Contraction& contraction, std::int64_t computed);

}  // namespace foretile
