// SPDX-License-Identifier: BSD-3-Clause
#include "report/timeline.hpp"

#include <algorithm>
#include <cmath>

#include "report/varint.hpp"

namespace foretile {

namespace {

/// So many are decoded at a time when the page shows a part of a lane.
constexpr std::size_t kOperationsOfBlock = 4096;

double tick_for(double expected_s) {
  if (!(expected_s > 0) || !std::isfinite(expected_s)) return 1e-9;
  return std::max(1e-9, std::pow(10, std::floor(std::log10(expected_s)) - 8));
}

template <class Member>
void put_column(std::vector<std::byte>& to, const std::vector<TimelineOperation>& operations, Member member) {
  std::int64_t before = 0;
  for (const TimelineOperation& operation : operations) {
    const std::int64_t value = operation.*member;
    put_signed(to, value - before);
    before = value;
  }
}

template <class Member>
void take_column(std::span<const std::byte>& from, std::vector<TimelineOperation>& operations,
                 Member member) {
  std::int64_t value = 0;
  for (TimelineOperation& operation : operations) {
    value += take_signed(from);
    operation.*member = static_cast<std::remove_reference_t<decltype(operation.*member)>>(value);
  }
}

}  // namespace

std::vector<TimelineOperation> decoded(const TimelineBlock& block) {
  std::vector<TimelineOperation> operations(static_cast<std::size_t>(block.operations));
  std::span<const std::byte> bytes = block.bytes;
  for (TimelineOperation& operation : operations)
    operation.start = static_cast<std::int64_t>(take_varint(bytes));
  std::int64_t end = block.first;
  for (TimelineOperation& operation : operations) {
    operation.start += end;
    end = operation.end = operation.start + static_cast<std::int64_t>(take_varint(bytes));
  }
  for (TimelineOperation& operation : operations) operation.cause = static_cast<Cause>(take_varint(bytes));
  for (const auto member :
       {&TimelineOperation::i, &TimelineOperation::j, &TimelineOperation::k, &TimelineOperation::products})
    take_column(bytes, operations, member);
  take_column(bytes, operations, &TimelineOperation::bytes);
  return operations;
}

Timeline::Timeline(double expected_s) : tick_s_(tick_for(expected_s)) {}

void Timeline::record(const TraceEvent& event) {
  const TraceLane key = chooser_.lane_of(event);
  Growing& lane = lanes_[key];
  lane.done.lane = key;
  const std::int64_t before = !lane.open.empty()         ? lane.open.back().end
                              : lane.done.blocks.empty() ? 0
                                                         : lane.done.blocks.back().last;
  const std::int64_t start = std::max<std::int64_t>(before, std::llround(event.start_s / tick_s_));
  const std::int64_t end = std::max<std::int64_t>(start, std::llround(event.end_s / tick_s_));
  lane.open.push_back({start, end, event.cause, event.i, event.j, event.k, event.products, event.bytes});
  if (lane.open.size() == kOperationsOfBlock) close_block(lane);
  ++operations_;
  end_ = std::max(end_, end);
  if (event.device_bytes >= 0) levels_[{event.rank, event.device}].push_back({start, event.device_bytes});
}

void Timeline::close_block(Growing& lane) {
  if (lane.open.empty()) return;
  TimelineBlock block{lane.open.front().start, lane.open.back().end,
                      static_cast<std::int32_t>(lane.open.size())};
  std::int64_t end = block.first;
  for (const TimelineOperation& operation : lane.open) {
    put_varint(block.bytes, static_cast<std::uint64_t>(operation.start - end));
    end = operation.end;
  }
  for (const TimelineOperation& operation : lane.open)
    put_varint(block.bytes, static_cast<std::uint64_t>(operation.end - operation.start));
  for (const TimelineOperation& operation : lane.open)
    put_varint(block.bytes, static_cast<std::uint64_t>(operation.cause));
  for (const auto member :
       {&TimelineOperation::i, &TimelineOperation::j, &TimelineOperation::k, &TimelineOperation::products})
    put_column(block.bytes, lane.open, member);
  put_column(block.bytes, lane.open, &TimelineOperation::bytes);
  lane.open.clear();
  lane.done.blocks.push_back(std::move(block));
}

void Timeline::finish() {
  for (auto& [key, lane] : lanes_) {
    close_block(lane);
    lane.open = {};
  }
}

std::vector<std::vector<MemoryLevel>> Timeline::memory_levels() const {
  std::vector<std::vector<MemoryLevel>> all;
  for (const auto& [device, levels] : levels_) {
    all.push_back(levels);
    std::ranges::stable_sort(all.back(), {}, &MemoryLevel::from);
  }
  return all;
}

std::vector<const TimelineLane*> Timeline::lanes() const {
  std::vector<const TimelineLane*> list;
  for (const auto& [key, lane] : lanes_) list.push_back(&lane.done);
  return list;
}

}  // namespace foretile
