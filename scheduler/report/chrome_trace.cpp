// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/report/chrome_trace.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

namespace foretile {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kKinds = std::ssize(kLaneNames);
constexpr int kThreadsPerLane = 1000;

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

/// Threads are shown by number: first the rank's own lanes, then device by device.
int ChromeTrace::thread_of(const TraceEvent& event) {
  const TraceLane lane = lanes_.lane_of(event);
  const int first = (kKinds * (lane.device + 1) + static_cast<int>(lane.kind)) * kThreadsPerLane;
  const int thread = first + lane.copy;
  if (named_threads_.insert({lane.rank, thread}).second) name_thread(lane, thread);
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

void ChromeTrace::name_thread(const TraceLane& lane, int thread) {
  std::string name = kLaneNames[static_cast<std::size_t>(lane.kind)];
  if (lane.device != kHost) name = fmt::format("device {} {}", lane.device, name);
  if (lane.copy > 0) name += fmt::format(" ({})", lane.copy + 1);
  const std::string named = metadata("thread_name", lane.rank, thread, {{"name", name}}).dump();
  write(named.data(), named.size());
  const std::string order = metadata("thread_sort_index", lane.rank, thread, {{"sort_index", thread}}).dump();
  write(order.data(), order.size());
}

void ChromeTrace::record(const TraceEvent& event) {
  name_process(event.rank);
  const int thread = thread_of(event);
  fmt::memory_buffer line;
  append_event(line, event, thread);
  write(line.data(), line.size());
}

void ChromeTrace::finish(const TraceSubject& subject) {
  const Json facts{{"source", subject.source},
                   {"problem", subject.problem},
                   {"platform", subject.platform},
                   {"strategy", subject.strategy},
                   {"digest", subject.digest},
                   {"ranks", subject.ranks},
                   {"ranks_per_node", subject.ranks_per_node},
                   {"devices_per_rank", subject.devices_per_rank},
                   {"makespan_s", subject.makespan_s}};
  file_.stream() << "\n],\"otherData\":" << facts.dump(-1, ' ', false, Json::error_handler_t::replace)
                 << "}\n";
  file_.commit();
}

}  // namespace foretile
