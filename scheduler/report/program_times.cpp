// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/report/program_times.hpp"

#include <algorithm>
#include <cstddef>

namespace foretile {

ProgramTimes program_times(std::span<const RankStatistics> ranks) {
  ProgramTimes times;
  for (const RankStatistics& rank : ranks) {
    double products_s = 0;
    for (const DeviceStatistics& device : rank.devices) products_s += device.kernel_s;
    if (!rank.devices.empty()) times.products_s += products_s / static_cast<double>(rank.devices.size());
    times.tasks_s += rank.combine_s;
    times.send_s += rank.send_s;
    times.step_ends_s.resize(std::max(times.step_ends_s.size(), rank.step_ends_s.size()), 0);
    for (std::size_t step = 0; step < rank.step_ends_s.size(); ++step)
      times.step_ends_s[step] = std::max(times.step_ends_s[step], rank.step_ends_s[step]);
  }
  for (double* mean : {&times.products_s, &times.tasks_s, &times.send_s})
    *mean /= static_cast<double>(ranks.size());
  return times;
}

}  // namespace foretile
