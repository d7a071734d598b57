// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/rate_spread.hpp"

#include <algorithm>
#include <cmath>

#include "executor/calibration/measure.hpp"

namespace foretile {

namespace {

std::vector<std::vector<double>> window_means(const std::vector<std::vector<double>>& probes,
                                              std::size_t window) {
  std::vector<std::vector<double>> means;
  for (std::size_t first = 0; first + window <= probes.size(); first += window) {
    std::vector<double> mean(probes[first].size(), 0.0);
    for (std::size_t probe = first; probe < first + window; ++probe) {
      for (std::size_t core = 0; core < mean.size(); ++core)
        mean[core] += probes[probe].at(core) / static_cast<double>(window);
    }
    means.push_back(std::move(mean));
  }
  return means;
}

}  // namespace

RateSpread rate_spread(std::vector<std::vector<double>> probes, std::size_t window,
                       const std::vector<double>& speeds) {
  for (std::vector<double>& probe : probes) {
    for (std::size_t core = 0; core < speeds.size(); ++core) probe[core] /= speeds[core];
  }
  const std::vector<std::vector<double>> windows = window_means(probes, window);
  std::vector<double> of_all;
  for (const std::vector<double>& cores : windows) of_all.push_back(mean_of(cores));
  if (windows.size() < 2) return {};
  const double mean = mean_of(of_all);
  const double count = static_cast<double>(windows.size());
  double in_time = 0, among_cores = 0;
  for (std::size_t w = 0; w < windows.size(); ++w) {
    in_time += std::pow(of_all[w] / mean - 1, 2);
    for (const double rate : windows[w]) among_cores += std::pow(rate / of_all[w] - 1, 2);
  }
  const double cores = static_cast<double>(windows.front().size());
  return {std::sqrt(in_time / (count - 1)), cores > 1 ? std::sqrt(among_cores / (count * (cores - 1))) : 0};
}

std::vector<double> core_speeds(const std::vector<std::vector<double>>& probes) {
  if (probes.empty()) return {};
  std::vector<double> speeds = window_means(probes, probes.size()).front();
  const auto [least, most] = std::ranges::minmax(speeds);
  if (least >= kAlikeCores * most) return {};
  for (double& speed : speeds) speed /= most;
  return speeds;
}

}  // namespace foretile
