// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/reported_trace.hpp"

#include <filesystem>
#include <fstream>
#include <utility>

#include "report/shares.hpp"
#include "report/timeline.hpp"
#include "report/trace_file.hpp"
#include "report/work.hpp"

namespace foretile {

namespace {

using Json = nlohmann::ordered_json;

/// As ChromeTrace begins.
constexpr std::string_view kBegin = R"({"displayTimeUnit")";

/// Of the machine a trace knows its size alone.
Machine machine_of(const TraceSubject& subject) {
  Machine machine;
  machine.platform.name = subject.platform;
  machine.platform.device.memory_bytes = 0;
  machine.ranks = subject.ranks;
  machine.ranks_per_node = subject.ranks_per_node;
  machine.devices_per_rank = subject.devices_per_rank;
  return machine;
}

Json bytes_json(const Timeline& timeline) {
  const std::vector<CauseTotal> totals = totals_by_cause(timeline);
  Json bytes;
  for (const auto& [key, cause] : {std::pair("network", Cause::network),
                                   {"h2d", Cause::h2d},
                                   {"d2d", Cause::d2d},
                                   {"d2h", Cause::d2h},
                                   {"generated", Cause::generate}})
    bytes[key] = totals[static_cast<std::size_t>(cause)].bytes;
  return bytes;
}

}  // namespace

bool is_trace(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::string begin(kBegin.size(), '\0');
  return in.read(begin.data(), std::ssize(begin)) && begin == kBegin;
}

Json reported_trace(const std::string& path, Sections& sections) {
  Timeline timeline(0);  // as exact as the file
  const TraceSubject subject = read_trace(path, timeline);
  timeline.finish();
  Report report;
  report.makespan_s = subject.makespan_s;
  report.plan = subject.strategy;
  const std::string name = std::filesystem::path(path).filename().string();
  return work_json({name, subject.source, subject.problem, subject.digest,
                    Json{{"makespan_s", subject.makespan_s}, {"bytes", bytes_json(timeline)}}},
                   report, machine_of(subject), timeline, sections);
}

}  // namespace foretile
