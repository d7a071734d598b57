#include "platforms/platform_json.hpp"

#include <nlohmann/json.hpp>

#include "platforms/figures.hpp"

namespace foretile {

namespace {

struct JsonValue {
  nlohmann::json operator()(const DeviceKind* kind) const {
    return *kind == DeviceKind::gpu ? "gpu" : "core";
  }
  template <typename Value>
  nlohmann::json operator()(const Value* value) const {
    return *value;
  }
};

}  // namespace

nlohmann::json platform_summary_json(const Platform& platform) {
  Platform copy = platform;
  nlohmann::json figures = nlohmann::json::object();
  for (const Figure& figure : platform_figures(copy)) {
    figures[figure.key->path] =
        std::visit([](const auto* value) { return JsonValue{}(value); }, figure.value);
  }
  return {{"name", platform.name},
          {"source", platform.source},
          {"estimated", platform.estimated},
          {"devices_per_node", platform.devices_per_node()},
          {"cores_per_node", platform.cores_per_node()},
          {"figures", figures}};
}

}  // namespace foretile
