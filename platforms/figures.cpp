// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/figures.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

namespace foretile {

namespace {

struct Text {
  Dimension dimension;

  std::string operator()(const double* value) const { return format_quantity(*value, dimension); }
  std::string operator()(const int* value) const { return fmt::format("{}", *value); }
  std::string operator()(const std::int64_t* value) const {
    return format_quantity(static_cast<double>(*value), dimension);
  }
  std::string operator()(const bool* value) const { return *value ? "true" : "false"; }
  std::string operator()(const std::vector<KernelPoint>* value) const {
    return fmt::format("{} points", value->size());
  }
  std::string operator()(const std::vector<double>* value) const {
    return fmt::format("{:.4g}", fmt::join(*value, ", "));
  }
  std::string operator()(const std::string* value) const { return *value; }
  std::string operator()(const DeviceKind* value) const { return *value == DeviceKind::gpu ? "gpu" : "core"; }
};

}  // namespace

std::vector<Figure> platform_figures(Platform& platform) {
  const toml::table table = toml::parse(platform.toml);
  std::vector<Figure> figures;
  for (const PlatformKey& key : keys_of(platform)) {
    if (table.at_path(key.path))
      figures.push_back({find_platform_key(key.path), key.slots(platform).front()});
  }
  return figures;
}

std::string figure_text(const Figure& figure) {
  return std::visit(Text{figure.key->dimension}, figure.value);
}

}  // namespace foretile
