// SPDX-License-Identifier: BSD-3-Clause
#include "report/trace_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/one_line.hpp"
#include "scheduler/report/trace_lanes.hpp"

namespace foretile {

namespace {

using Parsed = nlohmann::json;

constexpr const char* kAdvice = "name a file that foretile simulate --trace or foretile-run --trace wrote";

std::optional<Cause> cause_of(const std::string& name) {
  if (name == "send") return Cause::network;
  const auto* const found = std::ranges::find(kCauseNames, name);
  if (found == kCauseNames.end()) return {};
  return static_cast<Cause>(found - kCauseNames.begin());
}

/// Threads of ChromeTrace are numbered by device, -1 for the host, kind and copy.
MemoryPlace device_of(int thread) {
  constexpr int kThreadsPerDevice = 1000 * static_cast<int>(std::ssize(kLaneNames));
  return thread / kThreadsPerDevice - 1;
}

std::int32_t index_of(const Parsed& arguments, const char* name, std::int32_t otherwise) {
  return arguments.value(name, otherwise);
}

/// Nothing for metadata.
std::optional<TraceEvent> event_of(const Parsed& json) {
  if (json.at("ph") != "X") return {};
  const std::optional<Cause> cause = cause_of(json.at("name").get<std::string>());
  if (!cause)
    throw input_error("name", json.at("name").dump(),
                      "kernel, generate, h2d, d2d, d2h, send, wait or combine", kAdvice);
  const Parsed& arguments = json.at("args");
  TraceEvent event;
  event.cause = *cause;
  event.rank = Rank::of(json.at("pid").get<int>());
  event.device = device_of(json.at("tid").get<int>());
  event.start_s = 1e-6 * json.at("ts").get<double>();
  event.end_s = event.start_s + 1e-6 * json.at("dur").get<double>();
  event.bytes = arguments.value("bytes", std::int64_t{0});
  event.i = index_of(arguments, "i", -1);
  event.j = index_of(arguments, "j", -1);
  event.k = index_of(arguments, "k", -1);
  event.products = index_of(arguments, "products", *cause == Cause::kernel ? 1 : 0);
  event.software_s = 1e-9 * arguments.value("software_ns", 0.0);
  if (event.rank < 0 || !(event.start_s >= 0) || !(event.end_s >= event.start_s) ||
      !std::isfinite(event.end_s))
    throw input_error("an event", one_line(json.dump()), "a rank and times from 0 on", kAdvice);
  return event;
}

TraceSubject subject_of(const Parsed& json) {
  const auto count = [&](const char* key) {
    const int number = json.at(key).get<int>();
    if (number < 1) throw input_error(key, std::to_string(number), "at least 1", kAdvice);
    return number;
  };
  return {json.at("source").get<std::string>(),
          json.at("problem").get<std::string>(),
          json.at("platform").get<std::string>(),
          json.at("strategy").get<std::string>(),
          json.at("digest").get<std::string>(),
          count("ranks"),
          count("ranks_per_node"),
          count("devices_per_rank"),
          json.at("makespan_s").get<double>()};
}

/// The file is an object whose lists and objects are parsed one at a time: event by event, so that memory
/// does not grow with them. nlohmann's callback sees each finished value, and drops it.
class TraceReader {
 public:
  explicit TraceReader(TraceSink& sink) : sink_(&sink) {}

  TraceSubject read(std::istream& in) {
    const Parsed rest = Parsed::parse(in, [this](int depth, Parsed::parse_event_t event, Parsed& value) {
      if (depth == 1 && event == Parsed::parse_event_t::key) in_events_ = value == "traceEvents";
      if (!in_events_ || depth != 2 || event != Parsed::parse_event_t::object_end) return true;
      if (const std::optional<TraceEvent> found = event_of(value)) record(*found);
      return false;
    });
    if (!rest.is_object() || !rest.contains("traceEvents"))
      throw input_error("the file", "no list \"traceEvents\"", "one", kAdvice);
    if (!rest.at("traceEvents").empty())
      throw input_error("traceEvents", one_line(rest.at("traceEvents").at(0).dump()),
                        "a trace's events alone", kAdvice);
    if (!rest.contains("otherData"))
      throw input_error("the file", "no object \"otherData\"", "one, which says what it is a trace of",
                        "write the trace again with this foretile");
    return checked(subject_of(rest.at("otherData")));
  }

 private:
  void record(const TraceEvent& event) {
    last_rank_ = std::max<int>(last_rank_, event.rank);
    last_device_ = std::max<int>(last_device_, event.device);
    sink_->record(event);
  }

  TraceSubject checked(TraceSubject subject) const {
    if (last_rank_ < subject.ranks && last_device_ < subject.devices_per_rank) return subject;
    throw input_error("pid", fmt::format("rank {}, device {}", last_rank_, last_device_),
                      fmt::format("{} ranks with {} devices", subject.ranks, subject.devices_per_rank),
                      kAdvice);
  }

  TraceSink* sink_;
  bool in_events_ = false;
  int last_rank_ = -1, last_device_ = -1;
};

}  // namespace

TraceSubject read_trace(const std::filesystem::path& path, TraceSink& sink) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw input_error(one_line(path.string()), "a file that cannot be read", "a trace", kAdvice);
  try {
    return TraceReader(sink).read(in);
  } catch (const Parsed::exception& error) {
    throw input_error(one_line(path.string()), one_line(error.what()), "a trace", kAdvice);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", one_line(path.string()), error.what()));
  }
}

}  // namespace foretile
