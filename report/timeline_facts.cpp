// SPDX-License-Identifier: BSD-3-Clause
#include "report/timeline_facts.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "report/shares.hpp"

namespace foretile {

namespace {

/// Curves have 1024 bins.
constexpr std::size_t kLanesOfCurves = 4096;

using Json = nlohmann::ordered_json;
using Lanes = std::vector<const TimelineLane*>;

template <class Number, class Value>
std::vector<Number> column(const Lanes& lanes, const Value& value) {
  std::vector<Number> numbers;
  numbers.reserve(lanes.size());
  for (const TimelineLane* lane : lanes) numbers.push_back(static_cast<Number>(value(*lane)));
  return numbers;
}

Json lanes_json(const Lanes& lanes, Sections& sections) {
  const auto ints = [&](const auto& value) { return sections.add(column<std::int32_t>(lanes, value)); };
  std::vector<std::int32_t> first_blocks{0};
  for (const TimelineLane* lane : lanes)
    first_blocks.push_back(first_blocks.back() + static_cast<std::int32_t>(lane->blocks.size()));
  return {{"count", lanes.size()},
          {"rank", ints([](const TimelineLane& l) { return int{l.lane.rank}; })},
          {"device", ints([](const TimelineLane& l) { return int{l.lane.device}; })},
          {"kind", ints([](const TimelineLane& l) { return l.lane.kind; })},
          {"copy", ints([](const TimelineLane& l) { return l.lane.copy; })},
          {"operations", ints([](const TimelineLane& l) {
             std::int64_t sum = 0;
             for (const TimelineBlock& block : l.blocks) sum += block.operations;
             return sum;
           })},
          {"first_block", sections.add(first_blocks)}};
}

Json blocks_json(const Lanes& lanes, Sections& sections) {
  std::vector<double> first, last;
  std::vector<std::int32_t> operations, section, offset, length;
  for (const TimelineLane* lane : lanes) {
    for (const TimelineBlock& block : lane->blocks) {
      const Sections::Place place = sections.add_block(block.bytes);
      first.push_back(static_cast<double>(block.first));
      last.push_back(static_cast<double>(block.last));
      operations.push_back(block.operations);
      section.push_back(place.section);
      offset.push_back(static_cast<std::int32_t>(place.offset));
      length.push_back(static_cast<std::int32_t>(block.bytes.size()));
    }
  }
  return {{"count", first.size()},
          {"first", sections.add(first)},
          {"last", sections.add(last)},
          {"operations", sections.add(operations)},
          {"section", sections.add(section)},
          {"offset", sections.add(offset)},
          {"length", sections.add(length)}};
}

Json shares_json(const Lanes& lanes, const Bins& bins, Sections& sections) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(lanes.size() * static_cast<std::size_t>(bins.count));
  for (const TimelineLane* lane : lanes) {
    for (const double share : busy_shares(*lane, bins))
      bytes.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0))));
  }
  return sections.add(bytes);
}

Json totals_json(const Timeline& timeline) {
  const std::vector<CauseTotal> totals = totals_by_cause(timeline);
  Json list = Json::array();
  for (std::size_t cause = 0; cause < totals.size(); ++cause) {
    if (totals[cause].operations > 0)
      list.push_back({{"cause", kCauseNames[cause]},
                      {"operations", totals[cause].operations},
                      {"seconds", totals[cause].seconds},
                      {"bytes", totals[cause].bytes}});
  }
  return list;
}

Json nodes_json(const Machine& machine, Sections& sections) {
  std::vector<std::int32_t> nodes;
  for (int rank = 0; rank < machine.ranks; ++rank) nodes.push_back(machine.node_of(Rank::of(rank)));
  return sections.add(nodes);
}

/// What a curve shows of a cause, as a mean over `count` devices or ranks, or a sum where that is 1.
struct CurveKind {
  Cause cause;
  const char* group;
  const char* name;
  const char* unit;
  double count;
};

std::vector<float> floats(const std::vector<double>& numbers, double divisor = 1) {
  std::vector<float> list;
  list.reserve(numbers.size());
  for (const double number : numbers) list.push_back(static_cast<float>(number / divisor));
  return list;
}

Json curve_json(const CurveKind& kind, const std::vector<double>& amounts, double bin_s, Sections& sections) {
  const std::vector<float> mean = floats(amounts, bin_s * kind.count);
  return {{"cause", kCauseNames[static_cast<std::size_t>(kind.cause)]},
          {"group", kind.group},
          {"name", kind.name},
          {"unit", kind.unit},
          {"limit", nullptr},
          {"mean", sections.add(mean)},
          {"most", nullptr}};
}

bool any(const std::vector<double>& amounts) {
  return std::ranges::any_of(amounts, [](double amount) { return amount > 0; });
}

Json curves_json(const Timeline& timeline, const Bins& bins, const Machine& machine, Sections& sections) {
  const double devices = machine.devices(), ranks = machine.ranks;
  const std::array busy{
      CurveKind{Cause::kernel, "busy", "products under way", "per device", devices},
      CurveKind{Cause::generate, "busy", "tiles generated at a time", "per rank", ranks},
      CurveKind{Cause::h2d, "busy", "loads under way", "per device", devices},
      CurveKind{Cause::network, "busy", "messages under way", "per rank", ranks},
      CurveKind{Cause::combine, "busy", "additions and tasks under way", "per rank", ranks}};
  const std::array bandwidths{CurveKind{Cause::h2d, "bandwidth", "host to devices", "B/s", 1},
                              CurveKind{Cause::d2h, "bandwidth", "devices to host", "B/s", 1},
                              CurveKind{Cause::d2d, "bandwidth", "between devices", "B/s", 1},
                              CurveKind{Cause::network, "bandwidth", "between ranks", "B/s", 1}};
  const std::vector<TimelineSums> sums = sums_by_cause(timeline, bins);
  const double bin_s = bins.ticks * timeline.tick_s();
  Json curves = Json::array();
  const auto add = [&](const CurveKind& kind, const std::vector<double>& amounts) {
    if (any(amounts)) curves.push_back(curve_json(kind, amounts, bin_s, sections));
  };
  for (const CurveKind& kind : busy) add(kind, sums[static_cast<std::size_t>(kind.cause)].busy);
  for (const CurveKind& kind : bandwidths) add(kind, sums[static_cast<std::size_t>(kind.cause)].bytes);
  if (const MemoryCurve memory = memory_curve(timeline, bins); any(memory.most)) {
    curves.push_back({{"cause", nullptr},
                      {"group", "memory"},
                      {"name", "memory of a device"},
                      {"unit", "B"},
                      {"limit", machine.platform.device.memory_bytes},
                      {"mean", sections.add(floats(memory.mean))},
                      {"most", sections.add(floats(memory.most))}});
  }
  return curves;
}

}  // namespace

TimelineFacts timeline_facts(const Timeline& timeline, const Machine& machine,
                             const std::vector<TimeMark>& marks, Sections& sections) {
  const Lanes lanes = timeline.lanes();
  const Bins bins = Bins::of(timeline, lanes.size());
  Json marks_json = Json::array();
  for (const TimeMark& mark : marks) marks_json.push_back({{"name", mark.name}, {"seconds", mark.seconds}});
  Json facts{{"tick_s", timeline.tick_s()},
             {"end", timeline.end()},
             {"operations", timeline.operations()},
             {"bins", bins.count},
             {"node_of_rank", nodes_json(machine, sections)},
             {"causes", kCauseNames},
             {"kinds", kLaneNames},
             {"lanes", lanes_json(lanes, sections)},
             {"shares", shares_json(lanes, bins, sections)},
             {"blocks", blocks_json(lanes, sections)},
             {"totals", totals_json(timeline)},
             {"marks", std::move(marks_json)}};
  return {std::move(facts), curves_json(timeline, Bins::of(timeline, kLanesOfCurves), machine, sections)};
}

}  // namespace foretile
