// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/report/chrome_trace.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace foretile {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array kLaneNames{"generation", "messages", "kernels", "loads", "stores", "additions"};
constexpr int kKinds = std::ssize(kLaneNames);

/// Threads are shown by number: first the rank's own lanes, then device by device.
constexpr int kThreadsPerLane = 1000;

/// 1 ns is the format's usual precision.
constexpr double kSlack_s = 1e-9;

Json metadata(const char* name, Rank rank, int thread, Json arguments) {
  return {{"name", name}, {"ph", "M"}, {"pid", rank}, {"tid", thread}, {"args", std::move(arguments)}};
}

/// Written without a JSON library: there are millions, and nothing in them but numbers and known names.
template <class Buffer>
void append_event(Buffer& line, const TraceEvent& e, int thread) {
  const auto out = std::back_inserter(line);
  const char* const name =
      e.cause == Cause::network ? "send" : kCauseNames[static_cast<std::size_t>(e.cause)];
  fmt::format_to(out, R"({{"name":"{}","ph":"X","ts":{:.3f},"dur":{:.3f},"pid":{},"tid":{},"args":{{)", name,
                 1e6 * e.start_s, 1e6 * (e.end_s - e.start_s), e.rank, thread);
  const char* comma = "";
  const auto argument = [&](const char* key, std::int64_t value) {
    fmt::format_to(out, R"({}"{}":{})", comma, key, value);
    comma = ",";
  };
  if (e.i >= 0) argument("i", e.i);
  if (e.j >= 0) argument("j", e.j);
  if (e.k >= 0) argument("k", e.k);
  if (e.products > 1) argument("products", e.products);
  if (e.bytes > 0) argument("bytes", e.bytes);
  if (e.software_s > 0) argument("software_ns", std::llround(1e9 * e.software_s));
  fmt::format_to(out, "}}}}");
}

}  // namespace

ChromeTrace::ChromeTrace(const std::filesystem::path& path) : file_(path) {
  file_.stream() << R"({"displayTimeUnit":"ms","traceEvents":[)" << '\n';
}

ChromeTrace::LaneKey ChromeTrace::lane_of(const TraceEvent& event) {
  switch (event.cause) {
    case Cause::generate:  // on the host's cores, or on a device
      return {event.rank, event.device, Kind::generation};
    case Cause::network:
    case Cause::wait:
      return {event.rank, kHost, Kind::messages};
    case Cause::kernel:
      return {event.rank, event.device, Kind::kernels};
    case Cause::h2d:
    case Cause::d2d:
      return {event.rank, event.device, Kind::loads};
    case Cause::combine:
      return {event.rank, kHost, Kind::additions};
    case Cause::d2h:
      break;
  }
  return {event.rank, event.device, Kind::stores};
}

/// Of the threads that are free when the event starts, the one that was busy last.
int ChromeTrace::thread_of(const TraceEvent& event) {
  const LaneKey key = lane_of(event);
  Lane& lane = lanes_[key];
  std::size_t chosen = lane.size();
  for (std::size_t copy = 0; copy < lane.size(); ++copy) {
    if (lane[copy] > event.start_s + kSlack_s) continue;
    if (chosen == lane.size() || lane[copy] > lane[chosen]) chosen = copy;
  }
  const int first = (kKinds * (key.device + 1) + static_cast<int>(key.kind)) * kThreadsPerLane;
  const int thread = first + static_cast<int>(chosen);
  if (chosen == lane.size()) {
    lane.emplace_back();
    name_thread(key, chosen, thread);
  }
  lane[chosen] = event.end_s;
  return thread;
}

void ChromeTrace::write(const char* text, std::size_t length) {
  if (events_++ > 0) file_.stream().write(",\n", 2);
  file_.stream().write(text, static_cast<std::streamsize>(length));
}

void ChromeTrace::name_process(Rank rank) {
  const auto index = static_cast<std::size_t>(rank);
  if (index >= named_.size()) named_.resize(index + 1, false);
  if (named_[index]) return;
  named_[index] = true;
  const std::string name = metadata("process_name", rank, 0, {{"name", fmt::format("rank {}", rank)}}).dump();
  write(name.data(), name.size());
  const std::string order = metadata("process_sort_index", rank, 0, {{"sort_index", rank}}).dump();
  write(order.data(), order.size());
}

void ChromeTrace::name_thread(const LaneKey& key, std::size_t copy, int thread) {
  std::string name = kLaneNames[static_cast<std::size_t>(key.kind)];
  if (key.device != kHost) name = fmt::format("device {} {}", key.device, name);
  if (copy > 0) name += fmt::format(" ({})", copy + 1);
  const std::string named = metadata("thread_name", key.rank, thread, {{"name", name}}).dump();
  write(named.data(), named.size());
  const std::string order = metadata("thread_sort_index", key.rank, thread, {{"sort_index", thread}}).dump();
  write(order.data(), order.size());
}

void ChromeTrace::record(const TraceEvent& event) {
  name_process(event.rank);
  const int thread = thread_of(event);
  fmt::memory_buffer line;
  append_event(line, event, thread);
  write(line.data(), line.size());
}

void ChromeTrace::finish() {
  file_.stream() << "\n]}\n";
  file_.commit();
}

}  // namespace foretile
