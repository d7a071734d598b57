// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "platforms/figures.hpp"

namespace foretile {

namespace {

constexpr std::array<std::int64_t, 4> tiles = {256, 512, 1024, 2048};
constexpr int batch = 16;

struct Number {
  std::optional<double> operator()(const double* value) const { return *value; }
  std::optional<double> operator()(const int* value) const { return *value; }
  std::optional<double> operator()(const std::int64_t* value) const { return static_cast<double>(*value); }
  template <typename Other>
  std::optional<double> operator()(const Other*) const {
    return std::nullopt;
  }
};

std::vector<ComparedFigure> compare_figures(const Platform& first, const Platform& second) {
  Platform a = first;
  Platform b = second;
  std::vector<ComparedFigure> figures;
  const std::vector<Figure> of_a = platform_figures(a);
  const std::vector<Figure> of_b = platform_figures(b);
  std::vector<std::string> links;
  for (const Platform* const of : {&first, &second}) {
    for (const LinkTable& table : of->links.tables)
      if (std::ranges::find(links, table.name) == links.end()) links.push_back(table.name);
  }
  for (const PlatformKey& key : keys_with(links)) {
    ComparedFigure compared{find_platform_key(key.path), {}, {}, {}, {}};
    for (const Figure& f : of_a) {
      if (f.key != compared.key) continue;
      compared.first = figure_text(f);
      compared.a = std::visit(Number{}, f.value);
    }
    for (const Figure& f : of_b) {
      if (f.key != compared.key) continue;
      compared.second = figure_text(f);
      compared.b = std::visit(Number{}, f.value);
    }
    if (!compared.first.empty() || !compared.second.empty()) figures.push_back(std::move(compared));
  }
  return figures;
}

const char* name_of_numbers(Precision precision) {
  return precision == Precision::f64 ? "double" : "single";
}

double rate(const KernelModel& curve, std::int64_t tile, int count) {
  const auto size = static_cast<double>(tile);
  return count * 2 * size * size * size / curve.seconds(tile, tile, tile, count);
}

void add_products(std::vector<ComparedPrediction>& found, const Platform& a, const Platform& b,
                  Precision precision, int count) {
  const KernelModel& first = a.device.launch_of(precision, static_cast<std::size_t>(count));
  const KernelModel& second = b.device.launch_of(precision, static_cast<std::size_t>(count));
  const bool curves =
      count == 1 || (&first != &a.device.kernel_for(precision) && &second != &b.device.kernel_for(precision));
  if (!first.known() || !second.known() || !curves) return;
  const double spread = std::hypot(a.noise.kernel, b.noise.kernel);
  const std::string launch = count == 1 ? "products" : fmt::format("{} products in a launch", count);
  for (const std::int64_t tile : tiles) {
    found.push_back({fmt::format("{}, {}", launch, name_of_numbers(precision)), tile, Dimension::flops_per_s,
                     rate(first, tile, count), rate(second, tile, count), spread});
  }
}

double copy_rate(const LinkModel& link, std::int64_t tile) {
  const double bytes = 8.0 * static_cast<double>(tile) * static_cast<double>(tile);
  return bytes / (link.latency_s + bytes / link.bandwidth_bytes_per_s);
}

void add_copies(std::vector<ComparedPrediction>& found, const Platform& a, const Platform& b) {
  if (a.device.kind != DeviceKind::gpu || b.device.kind != DeviceKind::gpu) return;
  const double spread = std::hypot(a.noise.link, b.noise.link);
  for (const std::int64_t tile : tiles) {
    found.push_back({"copies to a GPU, double", tile, Dimension::bytes_per_s,
                     copy_rate(a.links.host_to_device, tile), copy_rate(b.links.host_to_device, tile),
                     spread});
  }
}

}  // namespace

std::optional<double> ComparedFigure::ratio() const {
  if (!a || !b || *a == 0) return std::nullopt;
  return *b / *a;
}

bool ComparedPrediction::differs() const {
  return std::abs(ratio() - 1) > std::max(2 * spread, 1e-9);
}

PlatformComparison compare_platforms(const Platform& first, const Platform& second) {
  PlatformComparison result{first.name, second.name, compare_figures(first, second), {}, {}, {}};
  if (first.name == second.name) {
    result.first = first.source;
    result.second = second.source;
  }
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    for (const int count : {1, batch}) add_products(result.predictions, first, second, precision, count);
  }
  add_copies(result.predictions, first, second);
  result.first_runtime = first.runtime.source;
  result.second_runtime = second.runtime.source;
  return result;
}

}  // namespace foretile
