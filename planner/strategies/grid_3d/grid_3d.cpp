// SPDX-License-Identifier: BSD-3-Clause
// A p x q x r grid of ranks over M, N and K: A travels along q, B along p, parts of C are summed along r. Any
// axis may be 1, so that 1D, 2D, 2.5D and 3D grids are one strategy. Where the problem says that B is
// generated, each rank makes what it multiplies, and nothing travels along p.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/parse.hpp"
#include "planner/strategies/frame.hpp"
#include "planner/strategies/grid_3d/c_stays.hpp"
#include "planner/strategies/grid_3d/grid_choice.hpp"
#include "planner/strategies/grid_3d/style.hpp"
#include "planner/strategies/grid_text.hpp"
#include "planner/strategies/strategy.hpp"

namespace foretile {

namespace {

constexpr const char* kGrid3DName = "grid-3d";
constexpr const char* kNatural = "natural";
constexpr std::int64_t kMostMessage_bytes = std::int64_t{1} << 50;

Spelling auto_or_whole_bytes(std::int64_t low, std::int64_t high) {
  return [bytes = whole_bytes(low, high)](std::string_view where, const std::string& text) {
    return text == kAuto ? text : bytes(where, text);
  };
}

const Style& style_setting(const Settings& settings) {
  return find_style(settings.at("style"));
}

/// With the ranks of a node where a style has an order of its own.
StyleGrid grid_setting(const Contraction& contraction, const Machine& machine, const Settings& settings) {
  const std::string& text = settings.at("grid");
  const Style& style = style_setting(settings);
  if (text == kAuto && style.choose) return style.choose(contraction, machine);
  if (text == kAuto)
    return {choose_grid(contraction, machine, integer_or_auto(settings, "replication_bytes"))};
  const AlongAxes numbers = parse_grid("grid", text);
  std::int64_t ranks = 1;
  for (const int along : numbers.numbers) {
    ranks *= along;
    if (ranks <= machine.ranks) continue;
    throw input_error("grid", text, fmt::format("at most {} ranks in all", machine.ranks));
  }
  return {{numbers[Axis::p], numbers[Axis::q], numbers[Axis::r]}};
}

std::optional<AlongAxes> node_setting(const Contraction& contraction, const Machine& machine,
                                      const Settings& settings, const ProcessGrid& grid) {
  const std::string& text = settings.at("grid.node");
  if (text == kNatural) return std::nullopt;
  if (text == kAuto) {
    const bool given = settings.at("grid") != kAuto;
    if (style_setting(settings).best_node || (given && !style_setting(settings).paced))
      return choose_node(contraction, machine, grid);
    return grid.node;
  }
  const AlongAxes node = parse_grid("grid.node", text);
  const std::int64_t ranks = std::int64_t{node[Axis::p]} * node[Axis::q] * node[Axis::r];
  if (ranks != machine.counted_ranks_per_node())
    throw input_error(
        "grid.node", text,
        fmt::format("numbers whose product is {}, the ranks of a node", machine.counted_ranks_per_node()));
  for (const Axis axis : kAxes) {
    if (grid.ranks_along(axis) % node[axis] != 0)
      throw input_error("grid.node", text,
                        fmt::format("divisors of the grid's {} x {} x {}", grid.p, grid.q, grid.r));
  }
  return node;
}

bool paced(const Settings& settings) {
  const std::string& sends = settings.at("sends");
  return sends == kAuto ? style_setting(settings).paced : sends == "paced";
}

/// What is left to choose of the blocks, as the style has it.
Settings with_style(const Contraction& contraction, Settings settings, const StyleGrid& chosen) {
  const Style& style = style_setting(settings);
  const auto choose = [&settings](const char* key, std::int64_t value) {
    if (settings.at(key) == kAuto) settings[key] = fmt::to_string(value);
  };
  if (paced(settings)) {
    choose("lookahead", 0);
    choose("own_first", 0);
  }
  const AlongAxes passes =
      settings.at("passes") == kAuto ? chosen.passes : parse_grid("passes", settings.at("passes"));
  const auto part = [](std::int32_t tiles, int ranks, int parts) {
    return std::max(1, most_owned(most_owned(tiles, ranks), parts));
  };
  const ProcessGrid& grid = chosen.grid;
  if (passes[Axis::p] > 1) choose("b", part(contraction.m.tiles(), grid.p, passes[Axis::p]));
  if (passes[Axis::q] > 1) choose("c", part(contraction.n.tiles(), grid.q, passes[Axis::q]));
  if (passes[Axis::r] > 1 || style.whole_depth) {
    choose("d", part(contraction.k.tiles(), grid.r, passes[Axis::r]));
  } else if (style.paced) {
    choose("d", 1);
  }
  settings["passes"] = to_text(passes);
  return settings;
}

std::vector<std::string> style_names() {
  std::vector<std::string> names;
  for (const Style& style : styles()) names.emplace_back(style.name);
  return names;
}

std::string style_meanings() {
  std::string text;
  for (const Style& style : styles())
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", style.name, style.meaning);
  return text;
}

std::vector<ParameterInfo> grid_parameters() {
  return {
      {.key = "style",
       .default_value = std::string(styles().front().name),
       .meaning = "whose choice of grid, ranks of a node, sends and panels: " + style_meanings(),
       .spelling = one_of(style_names()),
       .distributes_c = true},
      {.key = "sends",
       .default_value = std::string(kAuto),
       .meaning = "ahead: messages travel while products run; paced: one message of a rank at a time, A "
                  "before B, and none of a chunk before all have ended the last one; auto: as the style "
                  "has it",
       .spelling = one_of({std::string(kAuto), "ahead", "paced"})},
      {.key = "passes",
       .default_value = std::string(kAuto),
       .meaning =
           "parts of a rank's rows and columns of C and of its share of K that are worked on one after "
           "the other, as PxQxR, where b, c and d are auto; auto: as the style has it",
       .spelling = spelled_grid({std::string(kAuto)})},
      {.key = "grid",
       .default_value = std::string(kAuto),
       .meaning =
           "ranks along M, N and K as PxQxR; auto: as the style has it; ours is by a model of products and "
           "bytes, which may leave ranks out",
       .spelling = spelled_grid({std::string(kAuto)}),
       .tries = {std::string(kAuto)},
       .distributes_c = true},
      {.key = "grid.node",
       .default_value = std::string(kAuto),
       .meaning = "ranks of a node along M, N and K as PxQxR; natural: node after node in the order of the "
                  "ranks; auto: what moves least between nodes, or as the style has it",
       .spelling = spelled_grid({std::string(kAuto), kNatural}),
       .tries = {std::string(kAuto), kNatural}}};
}

std::vector<ParameterInfo> sum_parameters() {
  return {
      {.key = "tree",
       .default_value = "binomial",
       .meaning =
           "how messages travel and parts of C are summed; by_node: binomial among nodes, then inside "
           "them; scatter: sums so, and each message of an owner goes to another node, and from there to "
           "the rest",
       .spelling = one_of({"binomial", "chain", "by_node", "scatter"}),
       .tries = {"binomial", "chain"},
       .in_reports = true},
      {.key = "device_layers",
       .default_value = "1",
       .meaning = "parts into which the devices of a rank divide its share of K",
       .spelling = whole_number(1, kMostCounted),
       .tries = {"1"},
       .distributes_c = true},
      {.key = "sum_bytes",
       .default_value = "1000000",
       .meaning = "parts of C are joined to additions and messages up to this size",
       .spelling = whole_bytes(1, std::int64_t{1} << 31)},
      {.key = "replication_bytes",
       .default_value = std::string(kAuto),
       .meaning = "host memory of a rank beside the tiles that it owns, for copies of A and B, parts of C "
                  "and tiles of B on their way; auto: all that there is",
       .spelling = auto_or_whole_bytes(0, kMostMessage_bytes),
       .distributes_c = true},
      staging_parameter()};
}

class Grid3d final : public CStays {
 public:
  std::string name() const override { return kGrid3DName; }

  Sources sources_for(const Sources& asked) const override {
    return {Source::given, comes_where_used(asked.b) ? asked.b : Source::given};
  }

  std::vector<ParameterInfo> list_parameters() const override {
    std::vector<ParameterInfo> list = grid_parameters();
    for (ParameterInfo& of_sums : sum_parameters()) list.push_back(std::move(of_sums));
    for (ParameterInfo& shared : c_stays_parameters()) list.push_back(std::move(shared));
    return list;
  }

  /// The bound knows rows and columns of ranks, not layers.
  DistributionOfC distribution_of_c(const Contraction& contraction, const Machine& machine,
                                    const Settings& settings) const override {
    Settings all = settings;
    for (const ParameterInfo& parameter : parameters())
      all.try_emplace(parameter.key, parameter.default_value);
    const ProcessGrid grid = grid_setting(contraction, machine, all).grid;
    if (grid.r > 1 || integer_setting(all, "device_layers") > 1) return {.partial_sums = true};
    return {grid.p, grid.q};
  }

  std::optional<NodeVolume> node_volume(const Contraction& contraction, const Machine& machine,
                                        const PlanFrame& frame) const override {
    return NodeVolume{bytes_per_rank(contraction, frame.grid),
                      bytes_between_nodes(contraction, machine, frame.grid),
                      redistributed_bytes(contraction, machine, frame.grid),
                      redistribution_s(contraction, machine, frame.grid)};
  }

 private:
  std::unique_ptr<CStaysPlanner> planner(const Contraction& contraction, const Machine& machine,
                                         const Settings& settings) const override {
    CStaysGrid grid;
    const StyleGrid chosen = grid_setting(contraction, machine, settings);
    grid.grid = chosen.grid;
    grid.grid.node = node_setting(contraction, machine, settings, grid.grid);
    grid.device_layers = static_cast<int>(integer_setting(settings, "device_layers"));
    if (machine.devices_per_rank % grid.device_layers != 0)
      throw input_error("device_layers", fmt::to_string(grid.device_layers),
                        fmt::format("a divisor of the {} devices of a rank", machine.devices_per_rank));
    grid.tree = {tree_setting(settings), machine.counted_ranks_per_node()};
    if (paced(settings)) {
      grid.sends_in_flight = 1;
      grid.a_before_b = true;
    }
    grid.sum_bytes = integer_setting(settings, "sum_bytes");
    grid.makes_b = comes_where_used(contraction.sources.b);
    if (const auto copies = integer_or_auto(settings, "replication_bytes"))
      grid.host_bytes = most_owned(contraction, grid.grid, grid.makes_b) + *copies;
    grid.parameters = {{"grid", to_text({{grid.grid.p, grid.grid.q, grid.grid.r}})},
                       {"grid.node", grid.grid.node ? to_text(*grid.grid.node) : std::string(kNatural)}};
    return std::make_unique<CStaysPlanner>(kGrid3DName, contraction, machine,
                                           with_style(contraction, settings, chosen), grid);
  }
};

}  // namespace

std::unique_ptr<Strategy> grid_3d() {
  return std::make_unique<Grid3d>();
}

}  // namespace foretile
