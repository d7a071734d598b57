// SPDX-License-Identifier: BSD-3-Clause
// C stays, A and B stream: the algorithm of RR-9289 section 2, which is grid-3d with one layer.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parse.hpp"
#include "planner/strategies/grid_3d/c_stays.hpp"
#include "planner/strategies/grid_3d/grid_choice.hpp"

namespace foretile {

namespace {

constexpr const char* kStationaryCName = "stationary-c";

int grid_rows(const Contraction& problem, const Machine& machine, const Settings& settings) {
  const auto given =
      settings.contains("grid.p") ? integer_or_auto(settings, "grid.p", 1, machine.ranks) : std::nullopt;
  return given ? static_cast<int>(*given) : choose_rows(problem, machine);
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

class StationaryC final : public CStays {
 public:
  std::string name() const override { return kStationaryCName; }

  /// Both are distributed and sent.
  Sources sources_for(const Sources&) const override { return {Source::given, Source::given}; }

  std::vector<ParameterInfo> list_parameters() const override {
    std::vector<ParameterInfo> list{distributes_c(
        with_divisors({"grid.p",
                       "auto",
                       "rows of the process grid; auto: the grid on which the busiest device has least to do",
                       auto_or_whole_number(1, kMostCounted),
                       {"auto"}}))};
    for (ParameterInfo& shared : c_stays_parameters()) list.push_back(std::move(shared));
    return list;
  }

  DistributionOfC distribution_of_c(const Contraction& contraction, const Machine& machine,
                                    const Settings& settings) const override {
    const int p = grid_rows(contraction, machine, settings);
    return {p, machine.ranks / p};
  }

  std::optional<PredictedVolumes> predicted_volumes(const Contraction& contraction, const Machine& machine,
                                                    const PlanFrame& frame) const override {
    const bool once =
        frame.barriers != Barriers::global || integer_setting(frame.parameters, "keep_received") == 1;
    return predict_volumes(contraction, frame.device_classes.front().memory_bytes,
                           model_symbols(contraction, machine, frame), once);
  }

 private:
  std::unique_ptr<CStaysPlanner> planner(const Contraction& contraction, const Machine& machine,
                                         const Settings& settings) const override {
    const int p = grid_rows(contraction, machine, settings);
    const CStaysGrid grid{.grid = {p, machine.ranks / p}, .parameters = {{"grid.p", fmt::to_string(p)}}};
    return std::make_unique<CStaysPlanner>(kStationaryCName, contraction, machine, settings, grid);
  }
};

}  // namespace

std::unique_ptr<Strategy> stationary_c() {
  return std::make_unique<StationaryC>();
}

}  // namespace foretile
