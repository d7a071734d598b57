#include "planner/verify/frame.hpp"

#include <fmt/format.h>

#include <utility>

#include "planner/verify/errors.hpp"

namespace foretile {

void check_frame(const Plan& plan) {
  const ProcessGrid& grid = plan.grid;
  if (grid.p < 1 || grid.q < 1 ||
      static_cast<std::int64_t>(grid.p) * grid.q != static_cast<std::int64_t>(plan.ranks.size())) {
    throw broken_plan("grid", fmt::format("{} x {} and {} ranks", grid.p, grid.q, plan.ranks.size()),
                      "p * q ranks, p and q at least 1");
  }
  if (plan.lookahead < 0) throw broken_plan("lookahead", fmt::format("{}", plan.lookahead), "at least 0");
  for (const auto& [name, bytes] : {std::pair("device budget", plan.device_budget_bytes),
                                    {"host budget", plan.host_budget_bytes},
                                    {"staging area", plan.staging_bytes},
                                    {"copy batch", plan.copy_batch_bytes}}) {
    if (bytes < 0) throw broken_plan(name, fmt::format("{} bytes", bytes), "at least 0");
  }
  if (plan.staging_bytes > plan.host_budget_bytes) {
    throw input_error("plan, staging area", fmt::format("{} bytes", plan.staging_bytes),
                      fmt::format("at most the host budget of {}", plan.host_budget_bytes),
                      fmt::format("{} bytes are missing: lower staging_fraction",
                                  plan.staging_bytes - plan.host_budget_bytes));
  }
}

}  // namespace foretile
