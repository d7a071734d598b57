// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/measure_gpu.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "executor/calibration/measure.hpp"

namespace foretile {

namespace {

using Clock = std::chrono::steady_clock;
using Give = std::function<void(std::int64_t first, std::int64_t count)>;

constexpr double pause_seconds = 0.5e-6;  // of samples that take milliseconds
constexpr double longest_sample = 20e-3;
constexpr std::size_t most_samples = 1001;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Gives and waits.
class Repeater {
 public:
  Repeater(Gpus& gpus, std::span<const GpuLane> lanes, const Give& give)
      : gpus_(gpus), lanes_(lanes), give_(give) {}

  double run(std::int64_t count) {
    const Clock::time_point start = Clock::now();
    give_(next_, count);
    wait_for(gpus_, lanes_);
    next_ += count;
    return seconds_since(start);
  }

 private:
  Gpus& gpus_;
  std::span<const GpuLane> lanes_;
  const Give& give_;
  std::int64_t next_ = 0;
};

/// Repetitions of a sample long enough.
std::int64_t enough(Repeater& repeater, double seconds) {
  const double target = std::min(seconds / 7, longest_sample);
  std::int64_t count = 1;
  double took = repeater.run(1);
  while (took < target / 2) {
    const double more = std::clamp(target / std::max(took, 1e-9), 2.0, 64.0);
    count = static_cast<std::int64_t>(static_cast<double>(count) * more);
    took = repeater.run(count);
  }
  return count;
}

Measured sample(Repeater& repeater, std::int64_t count, double seconds) {
  std::vector<double> times;
  const Clock::time_point start = Clock::now();
  do {
    times.push_back(repeater.run(count) / static_cast<double>(count));
  } while (seconds_since(start) < seconds && times.size() < most_samples);
  const Summary summary = summarize(times);
  Measured measured{summary.median, 0, static_cast<int>(times.size()), count};
  if (times.size() >= 3) measured.spread = summary.spread / summary.median;
  return measured;
}

}  // namespace

std::string utc_now() {
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(std::time(nullptr)));
}

void wait_for(Gpus& gpus, std::span<const GpuLane> lanes) {
  std::vector<std::uint64_t> points;
  points.reserve(lanes.size());
  for (const GpuLane& lane : lanes) points.push_back(lane.gpu->mark(lane.lane));
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    while (lanes[i].gpu->reached(lanes[i].lane) < points[i]) gpus.pause(pause_seconds);
  }
}

Measured measure_queued(Gpus& gpus, std::span<const GpuLane> lanes, double seconds, const Give& give) {
  Repeater repeater(gpus, lanes, give);
  repeater.run(1);
  const Clock::time_point start = Clock::now();
  const std::int64_t count = enough(repeater, seconds);
  return sample(repeater, count, seconds - seconds_since(start));
}

Measured measure_alone(Gpus& gpus, std::span<const GpuLane> lanes, double seconds, const Give& give) {
  Repeater repeater(gpus, lanes, give);
  repeater.run(1);
  return sample(repeater, 1, seconds);
}

}  // namespace foretile
