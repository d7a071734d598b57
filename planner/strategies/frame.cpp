#include "planner/strategies/frame.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/error.hpp"
#include "base/parse.hpp"
#include "platforms/units.hpp"

namespace foretile {

namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 31;
constexpr std::int64_t kMostProducts = 65536;  // of a launch: their addresses are copied to the device first

/// "16 MB" as well as 16000000.
std::int64_t bytes_setting(const Settings& settings, const std::string& key, std::int64_t least) {
  const std::string& text = settings.at(key);
  const double bytes = parse_quantity(text, Dimension::bytes, key);
  if (bytes >= static_cast<double>(least) && bytes <= static_cast<double>(kMostBytes) &&
      bytes == std::floor(bytes))
    return static_cast<std::int64_t>(bytes);
  throw input_error(key, text, fmt::format("a whole number of bytes from {} to {}", least, kMostBytes));
}

}  // namespace

std::vector<ParameterInfo> common_parameters() {
  return {{"message_bytes", "16000000", "tiles for the same ranks are joined to messages up to this size"},
          {"copy_batch_bytes", "16000000", "neighbouring loads are joined to copies up to this size"},
          {"batch", "1", "products of a chunk that go to a device in one launch", {"1", "16", "128"}}};
}

Plan common_frame(std::string_view strategy, const Machine& machine, const Settings& settings, int p) {
  Plan frame;
  frame.strategy = strategy;
  frame.parameters = settings;
  frame.grid = {p, machine.ranks / p};
  frame.device_budget_bytes = machine.platform.device.memory_bytes;
  frame.host_budget_bytes = machine.host_bytes_per_rank();
  frame.batch = static_cast<int>(integer_setting(settings, "batch", 1, kMostProducts));
  frame.copy_batch_bytes = bytes_setting(settings, "copy_batch_bytes", 0);
  return frame;
}

std::int64_t message_bytes(const Settings& settings) {
  return bytes_setting(settings, "message_bytes", 1);
}

std::vector<int> deal_cyclic(std::int32_t count, int owners) {
  std::vector<int> owner(count);
  for (std::int32_t index = 0; index < count; ++index) owner[index] = index % owners;
  return owner;
}

}  // namespace foretile
