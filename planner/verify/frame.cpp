// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/missing_memory.hpp"
#include "base/quantity.hpp"
#include "planner/verify/pass.hpp"

namespace foretile {

namespace {

/// What the scheduler can follow: A is given and streams, C is given and stays; B is one of these, beside
/// which a plan may have what is true.
struct UseOfB {
  OperandPlan b;
  bool prefetch_c, pool, steps;
};
const std::array kUsesOfB{UseOfB{OperandPlan{}, true, true, true},
                          UseOfB{kGeneratedAndStays, false, false, false},
                          UseOfB{kReadAndStays, false, false, false}};

std::string text_of(const OperandPlan& operand) {
  return fmt::format("{} and {}", name_of(operand.source), operand.streams() ? "streams" : "stays");
}

bool used_alike(const OperandPlan& x, const OperandPlan& y) {
  return x.source == y.source && x.on_device == y.on_device;
}

const UseOfB& use_of_b(const Plan& plan) {
  const auto use =
      std::ranges::find_if(kUsesOfB, [&](const UseOfB& one) { return used_alike(one.b, plan.operands.b); });
  if (use != kUsesOfB.end()) return *use;
  std::vector<std::string> legal;
  for (const UseOfB& one : kUsesOfB) legal.push_back(text_of(one.b));
  throw broken_plan("operand B", text_of(plan.operands.b), fmt::format("one of: {}", fmt::join(legal, ", ")));
}

void check_operands(const Plan& plan) {
  const Operands usual;
  if (!used_alike(plan.operands.a, usual.a))
    throw broken_plan("operand A", text_of(plan.operands.a), text_of(usual.a));
  if (!used_alike(plan.operands.c, usual.c))
    throw broken_plan("operand C", text_of(plan.operands.c), text_of(usual.c));
  const UseOfB& b = use_of_b(plan);
  for (const auto& [what, has, may] : {std::tuple("prefetch_c", plan.prefetch_c, b.prefetch_c),
                                       {"pool", plan.pool != Pool::none, b.pool},
                                       {"steps", plan.flows(), b.steps}}) {
    if (has && !may) throw broken_plan(what, "it beside a B that stays", "a B that streams");
  }
}

/// Numbers may be so large that products overflow.
void check_grid(const Plan& plan) {
  const ProcessGrid& grid = plan.grid;
  std::int64_t left = std::ssize(plan.ranks);
  bool whole = true;
  for (const int ranks : {grid.p, grid.q, grid.r}) {
    whole = whole && ranks >= 1 && left % ranks == 0;
    if (whole) left /= ranks;
  }
  if (!whole || left != 1) {
    throw broken_plan("grid",
                      fmt::format("{} x {} x {} and {} ranks", grid.p, grid.q, grid.r, plan.ranks.size()),
                      "p * q * r ranks, each at least 1");
  }
  if (grid.r > 1 && !plan.partial_sums)
    throw broken_plan("grid", fmt::format("{} layers", grid.r),
                      "one where C is not computed as partial sums");
  if (!grid.node) return;
  const AlongAxes& node = *grid.node;
  const bool divides = std::all_of(kAxes.begin(), kAxes.end(), [&](Axis axis) {
    return node[axis] >= 1 && grid.ranks_along(axis) % node[axis] == 0;
  });
  if (!divides) {
    throw broken_plan("grid.node", fmt::format("{}", fmt::join(node.numbers, " x ")),
                      fmt::format("divisors of the grid's {} x {} x {}", grid.p, grid.q, grid.r));
  }
}

void check_distribution(const Plan& plan, const Contraction& p, Matrix matrix) {
  const Distribution& distribution = plan.operands.of(matrix).distribution;
  if (distribution.kind != DistributionKind::table) return;
  const std::string where = fmt::format("owners of {}", name_of(matrix));
  const TileId tiles = shape_of(p, matrix).nonzeros();
  if (std::ssize(distribution.owners) != tiles) {
    throw broken_plan(where, fmt::format("{} tiles", distribution.owners.size()), fmt::format("{}", tiles));
  }
  for (const Rank rank : distribution.owners) {
    if (rank < 0 || rank >= plan.grid.size())
      throw broken_plan(where, fmt::format("rank {}", rank), fmt::format("0 to {}", plan.grid.size() - 1));
  }
}

void check_in_place(const Plan& plan, const Contraction& p, Matrix matrix) {
  const auto tiles = std::ssize(plan.operands.of(matrix).in_place);
  const TileId expected = matrix == Matrix::c && !plan.flows() ? 0 : shape_of(p, matrix).nonzeros();
  if (tiles != 0 && tiles != expected)
    throw broken_plan(fmt::format("tiles of {} in place", name_of(matrix)), fmt::format("{} tiles", tiles),
                      expected == 0 ? "none" : fmt::format("none or {}", expected));
}

void check_pool(const Plan& plan) {
  if (plan.pool == Pool::none) return;
  if (plan.partial_sums && !plan.prefetch_c && plan.barriers == Barriers::none) return;
  throw broken_plan("pool", "blocks that other devices may take",
                    "them only with partial sums, no prefetch_c and no barriers");
}

void require_bytes(const char* name, std::int64_t bytes) {
  if (bytes < 0) throw broken_plan(name, fmt::format("{} bytes", bytes), "at least 0");
}

void check_device_classes(const Plan& plan) {
  for (const DeviceClass& alike : plan.device_classes) {
    require_bytes("device budget", alike.memory_bytes);
    const bool possible = alike.kind == DeviceKind::core ? alike.cores >= 1 : alike.cores == 1;
    if (!possible)
      throw broken_plan("device class", fmt::format("{} cores", alike.cores), "at least 1, of GPUs 1");
  }
  const auto classes = std::ssize(plan.device_classes);
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
    for (const DevicePlan& device : plan.ranks[rank].devices) {
      if (device.device_class >= 0 && device.device_class < classes) continue;
      throw broken_plan(fmt::format("rank {}", rank),
                        fmt::format("a device of class {}", device.device_class),
                        fmt::format("one of {} classes", classes));
    }
  }
}

void check_device_messages(const Plan& plan) {
  require_bytes("device memory for messages", plan.device_message_bytes);
  if (!plan.messages_on_devices()) return;
  for (const DeviceClass& alike : plan.device_classes) {
    if (alike.in_host_memory())
      throw broken_plan("messages on devices", "a device that works in host memory",
                        "GPUs with memory of their own");
  }
}

}  // namespace

void check_frame(const Plan& plan, const Contraction& contraction) {
  check_grid(plan);
  check_operands(plan);
  for (const Matrix matrix : {Matrix::a, Matrix::b, Matrix::c}) {
    check_distribution(plan, contraction, matrix);
    check_in_place(plan, contraction, matrix);
  }
  if (plan.batch < 1) throw broken_plan("batch", fmt::format("{}", plan.batch), "at least 1");
  if (plan.lookahead < 0) throw broken_plan("lookahead", fmt::format("{}", plan.lookahead), "at least 0");
  if (plan.sends_in_flight < 1)
    throw broken_plan("sends_in_flight", fmt::format("{}", plan.sends_in_flight), "at least 1");
  check_device_classes(plan);
  check_device_messages(plan);
  check_sums(plan, contraction);
  check_pool(plan);
  if (plan.sum_tree != Tree::binomial && plan.sum_tree != Tree::chain)
    throw broken_plan("sum_tree", fmt::format("tree {}", static_cast<int>(plan.sum_tree)),
                      "binomial or chain");
  for (const auto& [name, bytes] : {std::pair("host budget", plan.host_budget_bytes),
                                    {"staging area", plan.staging_bytes},
                                    {"copy batch", plan.copy_batch_bytes}}) {
    require_bytes(name, bytes);
  }
  if (plan.staging_bytes > plan.host_budget_bytes) {
    throw missing_memory("plan, staging area", spelled_bytes(plan.staging_bytes),
                         fmt::format("at most the host budget of {}", spelled_bytes(plan.host_budget_bytes)),
                         plan.staging_bytes - plan.host_budget_bytes, plan.advice.smaller_staging,
                         ShortOf::host_memory);
  }
}

}  // namespace foretile
