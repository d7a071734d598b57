#include "planner/verify/frame.hpp"

#include <fmt/format.h>

#include <utility>

#include "planner/verify/errors.hpp"

namespace foretile {

namespace {

std::string text_of(const OperandPlan& operand) {
  return fmt::format("{} and {}", name_of(operand.source), operand.streams() ? "streams" : "stays");
}

/// What the scheduler can follow.
void check_operands(const Plan& plan) {
  constexpr OperandPlan given_and_streams;
  const OperandPlan& b = plan.operands.b;
  if (plan.operands.a != given_and_streams)
    throw broken_plan("operand A", text_of(plan.operands.a), text_of(given_and_streams));
  if (b != given_and_streams && b != kMadeAndStays) {
    throw broken_plan("operand B", text_of(b),
                      fmt::format("{}, or {}", text_of(given_and_streams), text_of(kMadeAndStays)));
  }
  if (plan.operands.c.made() || plan.operands.c.streams())
    throw broken_plan("operand C", text_of(plan.operands.c), "given and stays");
  if (plan.prefetch_c && !b.streams())
    throw broken_plan("prefetch_c", "it beside a B that stays", "a B that streams");
}

}  // namespace

void check_frame(const Plan& plan) {
  const ProcessGrid& grid = plan.grid;
  if (grid.p < 1 || grid.q < 1 ||
      static_cast<std::int64_t>(grid.p) * grid.q != static_cast<std::int64_t>(plan.ranks.size())) {
    throw broken_plan("grid", fmt::format("{} x {} and {} ranks", grid.p, grid.q, plan.ranks.size()),
                      "p * q ranks, p and q at least 1");
  }
  check_operands(plan);
  if (plan.batch < 1) throw broken_plan("batch", fmt::format("{}", plan.batch), "at least 1");
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
