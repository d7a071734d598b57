// SPDX-License-Identifier: BSD-3-Clause
// C stays, A and B stream: the algorithm of RR-9289 section 2.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/parse.hpp"
#include "planner/strategies/c_stays.hpp"
#include "planner/strategies/strategy.hpp"

namespace foretile {

namespace {

constexpr const char* kStationaryCName = "stationary-c";

/// The rows of the grid for which the busiest device has least to multiply, or its rank least to receive
/// where that takes longer; among those within 2% of the best, of the one that moves least. Grids may leave
/// ranks without work.
int best_p(const Contraction& problem, const Machine& machine) {
  const auto mean = [](const Tiling& t) { return static_cast<double>(t.extent()) / t.tiles(); };
  const double m = mean(problem.m);
  const double n = mean(problem.n);
  const double k = static_cast<double>(problem.k.extent());
  const auto element = static_cast<double>(problem.element_bytes());
  const KernelModel& kernel = machine.platform.device.kernel_for(problem.precision);
  const double bandwidth = machine.platform.network.message.bandwidth_bytes_per_s;
  struct Grid {
    int p;
    double received, seconds;
  };
  std::vector<Grid> grids;
  for (int p = 1; p <= std::min(machine.ranks, problem.m.tiles()); ++p) {
    const int q = machine.ranks / p;
    const std::int32_t rows = most_dealt(problem.m.tiles(), p);
    const std::int32_t columns = most_dealt(problem.n.tiles(), q);
    const double received = element * k * (rows * m * (1 - 1.0 / q) + columns * n * (1 - 1.0 / p));
    const int devices = machine.devices_per_rank;
    const std::int64_t tiles =
        most_on_device(rows, columns, devices, best_device_rows(rows, columns, devices));
    const double multiply = static_cast<double>(tiles) * 2 * m * n * k / kernel.rate_flops_per_s;
    grids.push_back({p, received, std::max(multiply, bandwidth > 0 ? received / bandwidth : 0)});
  }
  const auto faster = [](const Grid& l, const Grid& r) { return l.seconds < r.seconds; };
  const double limit = 1.02 * std::min_element(grids.begin(), grids.end(), faster)->seconds;
  const auto less = [limit](const Grid& l, const Grid& r) {
    return std::pair(l.seconds > limit, l.received) < std::pair(r.seconds > limit, r.received);
  };
  return std::min_element(grids.begin(), grids.end(), less)->p;
}

int grid_rows(const Contraction& problem, const Machine& machine, const Settings& settings) {
  const auto given = integer_or_auto(settings, "grid.p", 1, machine.ranks);
  return given ? static_cast<int>(*given) : best_p(problem, machine);
}

/// Of the model of RR-9289 section 3. b, c and d are whole numbers in the parameters of a plan.
ModelSymbols model_symbols(const Contraction& p, const Machine& machine, const PlanFrame& frame) {
  const auto number = [&](const char* key) {
    return static_cast<double>(integer_setting(frame.parameters, key));
  };
  ModelSymbols s;
  s.M_t = p.m.tiles();
  s.K_t = p.k.tiles();
  s.N_t = p.n.tiles();
  // Rows and columns of the grid, and devices, that have work.
  s.p = std::min(frame.grid.p, p.m.tiles());
  s.q = std::min(frame.grid.q, p.n.tiles());
  const double rows = number("device_rows");
  s.g = std::min(rows, std::ceil(s.M_t / s.p));
  s.G = s.g * std::min(machine.devices_per_rank / rows, std::ceil(s.N_t / s.q));
  s.b = number("b");
  s.c = number("c");
  s.d = number("d");
  return s;
}

std::unique_ptr<CStaysPlanner> c_stays_planner(const Contraction& contraction, const Machine& machine,
                                               const Settings& settings) {
  const int p = grid_rows(contraction, machine, settings);
  CStaysGrid grid{.grid = {p, machine.ranks / p}};
  grid.parameters["grid.p"] = fmt::to_string(p);
  return std::make_unique<CStaysPlanner>(kStationaryCName, contraction, machine, settings, grid);
}

class StationaryC final : public Strategy {
 public:
  std::string name() const override { return kStationaryCName; }

  /// Both are distributed and sent.
  Sources sources_for(const Sources&) const override { return {Source::given, Source::given}; }

  std::vector<ParameterInfo> list_parameters() const override {
    std::vector<ParameterInfo> list{deals_c(
        with_divisors({"grid.p",
                       "auto",
                       "rows of the process grid; auto: the grid on which the busiest device has least to do",
                       auto_or_whole_number(1, kMostCounted),
                       {"auto"}}))};
    for (ParameterInfo& shared : c_stays_parameters()) list.push_back(std::move(shared));
    return list;
  }

  Dealing dealing(const Contraction& contraction, const Machine& machine,
                  const Settings& settings) const override {
    const int p = settings.contains("grid.p") ? grid_rows(contraction, machine, settings)
                                              : best_p(contraction, machine);
    return {p, machine.ranks / p};
  }

  /// The sizes that come out of the wishes.
  Settings plan_key(const Contraction& contraction, const Machine& machine,
                    const Settings& settings) const override {
    return c_stays_planner(contraction, machine, settings)->frame().parameters;
  }

  std::unique_ptr<RankPlanner> prepare(const Contraction& contraction, const Machine& machine,
                                       const Settings& settings,
                                       const PlanContext& /*context*/) const override {
    return c_stays_planner(contraction, machine, settings);
  }

  std::optional<PredictedVolumes> predicted_volumes(const Contraction& contraction, const Machine& machine,
                                                    const PlanFrame& frame) const override {
    const bool once =
        frame.barriers != Barriers::global || integer_setting(frame.parameters, "keep_received") == 1;
    return predict_volumes(contraction, frame.device_classes.front().memory_bytes,
                           model_symbols(contraction, machine, frame), once);
  }
};

}  // namespace

std::unique_ptr<Strategy> stationary_c() {
  return std::make_unique<StationaryC>();
}

}  // namespace foretile
