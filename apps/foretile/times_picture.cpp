// SPDX-License-Identifier: BSD-3-Clause
// The picture of times against nodes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <vector>

#include "apps/foretile/canvas.hpp"
#include "apps/foretile/machine_times.hpp"
#include "apps/foretile/shape_picture.hpp"
#include "base/atomic_file.hpp"
#include "base/one_line.hpp"

namespace foretile {

namespace {

constexpr double kLeft = 90, kTop = 60, kWidth = 560, kHeight = 400, kLegend = 220, kBelow = 60;
constexpr Colour kInk{0.15, 0.15, 0.15}, kGrid{0.88, 0.88, 0.88};

/// Told apart by people with any colour vision (Okabe and Ito, Color Universal Design, 2008).
constexpr std::array<Colour, 7> kColours{{{0, 0.45, 0.70},
                                          {0.84, 0.37, 0},
                                          {0, 0.62, 0.45},
                                          {0.80, 0.47, 0.65},
                                          {0.90, 0.62, 0},
                                          {0.34, 0.71, 0.91},
                                          {0.35, 0.35, 0.35}}};

/// A logarithmic axis over whole steps of `base`.
struct LogAxis {
  double base = 10;
  double low = 0, high = 1;  // exponents

  double share(double value) const { return (std::log(value) / std::log(base) - low) / (high - low); }
};

LogAxis axis_of(const std::vector<double>& values, double base) {
  constexpr double kRounding = 1e-9;
  const auto [least, most] = std::ranges::minmax(values);
  LogAxis axis{base, std::floor(std::log(least) / std::log(base) + kRounding),
               std::ceil(std::log(most) / std::log(base) - kRounding)};
  if (axis.high <= axis.low) axis.high = axis.low + 1;
  return axis;
}

/// By machine, in the order given.
using Curves = std::vector<std::pair<std::string, std::vector<PicturePoint>>>;

Curves curves_of(const std::vector<MachineTime>& times) {
  Curves curves;
  for (const MachineTime& time : times) {
    if (!time.makespan_s || !(*time.makespan_s > 0)) continue;
    if (curves.empty() || curves.back().first != time.platform) curves.push_back({time.platform, {}});
    curves.back().second.push_back({1.0 * time.nodes, *time.makespan_s});
  }
  return curves;
}

void draw_axes(Canvas& canvas, const LogAxis& nodes, const LogAxis& seconds) {
  for (double e = nodes.low; e <= nodes.high; ++e) {
    const double x = kLeft + kWidth * (e - nodes.low) / (nodes.high - nodes.low);
    canvas.line({{x, kTop}, {x, kTop + kHeight}}, 1, kGrid);
    canvas.text(x, kTop + kHeight + 18, fmt::format("{:g}", std::pow(nodes.base, e)), 12, kInk,
                Align::centre);
  }
  for (double e = seconds.low; e <= seconds.high; ++e) {
    const double y = kTop + kHeight * (1 - (e - seconds.low) / (seconds.high - seconds.low));
    canvas.line({{kLeft, y}, {kLeft + kWidth, y}}, 1, kGrid);
    canvas.text(kLeft - 8, y + 4, fmt::format("{:g}", std::pow(seconds.base, e)), 12, kInk, Align::right);
  }
  canvas.frame(kLeft, kTop, kWidth, kHeight, kInk);
  canvas.text(kLeft + kWidth / 2, kTop + kHeight + 42, "nodes", 13, kInk, Align::centre);
  canvas.upward_text(26, kTop + kHeight / 2, "predicted time in s", 13, kInk);
}

void draw_curve(Canvas& canvas, std::vector<PicturePoint> points, const LogAxis& nodes,
                const LogAxis& seconds, Colour colour) {
  constexpr double kMark = 7;
  for (PicturePoint& p : points)
    p = {kLeft + kWidth * nodes.share(p.x), kTop + kHeight * (1 - seconds.share(p.y))};
  canvas.line(points, 2, colour);
  for (const PicturePoint& p : points)
    canvas.rectangle(p.x - kMark / 2, p.y - kMark / 2, kMark, kMark, colour);
}

}  // namespace

void draw_times(const std::vector<MachineTime>& times, const std::string& title, const std::string& path) {
  check_picture_path(path, "--plot");
  const Curves curves = curves_of(times);
  std::vector<double> nodes{1}, seconds;
  for (const auto& [name, points] : curves) {
    for (const PicturePoint& p : points) {
      nodes.push_back(p.x);
      seconds.push_back(p.y);
    }
  }
  if (seconds.empty()) seconds = {1};
  const LogAxis across = axis_of(nodes, 2), up = axis_of(seconds, 10);
  Canvas canvas(kLeft + kWidth + kLegend, kTop + kHeight + kBelow, path.ends_with(".svg"));
  canvas.text(kLeft, kTop - 24, title, 16, kInk, Align::left, true);
  draw_axes(canvas, across, up);
  for (std::size_t c = 0; c < curves.size(); ++c) {
    const Colour colour = kColours[c % kColours.size()];
    draw_curve(canvas, curves[c].second, across, up, colour);
    const double x = kLeft + kWidth + 20, y = kTop + 16 + 22 * static_cast<double>(c);
    canvas.line({{x, y - 4}, {x + 26, y - 4}}, 2, colour);
    canvas.text(x + 34, y, one_line(curves[c].first), 13, kInk);
  }
  const std::string bytes = canvas.finish();
  write_atomically(path, [&](std::ostream& out) { out << bytes; });
}

}  // namespace foretile
