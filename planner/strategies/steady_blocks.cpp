// SPDX-License-Identifier: BSD-3-Clause
#include "planner/strategies/steady_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "planner/strategies/stream_bytes.hpp"

namespace foretile {

namespace {

/// A run that is killed after a tenth of its time has finished the first one.
constexpr std::int64_t kSteadyBlocks = 16;

struct BlockSize {
  std::int64_t tiles = 0;  ///< of a rank along this side
  std::int64_t size = 0;   ///< of a block
  std::int64_t least = 1;  ///< blocks are multiples of it

  std::int64_t blocks() const { return (tiles + size - 1) / size; }
  std::int64_t halved() const { return std::max(least, (size / 2 + least - 1) / least * least); }
};

std::optional<std::int64_t> number_in(const Settings& settings, const char* key) {
  const auto found = settings.find(key);
  if (found == settings.end() || found->second.empty()) return std::nullopt;
  if (!std::ranges::all_of(found->second, [](char digit) { return digit >= '0' && digit <= '9'; }))
    return std::nullopt;
  return std::stoll(found->second);
}

/// The larger side is halved first.
void shrink(BlockSize& b, BlockSize& c) {
  while (b.blocks() * c.blocks() < kSteadyBlocks) {
    BlockSize& larger = b.size > c.size ? b : c;
    BlockSize& other = b.size > c.size ? c : b;
    BlockSize& next = larger.halved() < larger.size ? larger : other;
    if (next.halved() == next.size) return;
    next.size = next.halved();
  }
}

}  // namespace

std::optional<Settings> steady_settings(const Contraction& contraction, const Machine& machine,
                                        const PlanFrame& plan) {
  Settings settings = plan.parameters;
  settings["strategy"] = plan.strategy;
  const auto b = number_in(settings, "b"), c = number_in(settings, "c");
  if (!b || !c || *b < 1 || *c < 1) return std::nullopt;
  const ProcessGrid& grid = plan.grid;
  const std::int64_t down = number_in(settings, "device_rows").value_or(1);
  const std::int64_t layers = number_in(settings, "device_layers").value_or(1);
  const std::int64_t across = std::max<std::int64_t>(1, machine.devices_per_rank / (down * layers));
  const std::int64_t rows = most_owned(contraction.m.tiles(), grid.p);
  const std::int64_t columns = most_owned(contraction.n.tiles(), grid.q);
  BlockSize tall{rows, std::min(*b, rows), plan.operands.b.generated() ? *b : down};
  BlockSize wide{columns, std::min(*c, columns), across};
  if (tall.size < 1 || wide.size < 1) return std::nullopt;
  shrink(tall, wide);
  if (tall.size >= std::min(*b, rows) && wide.size >= std::min(*c, columns)) return std::nullopt;
  settings["b"] = fmt::to_string(tall.size);
  settings["c"] = fmt::to_string(wide.size);
  const auto barriers = settings.find("barriers");
  if (settings.contains("keep_received") && barriers != settings.end() && barriers->second == "global")
    settings["keep_received"] = std::string("1");  // tiles are sent once all the same
  return settings;
}

}  // namespace foretile
