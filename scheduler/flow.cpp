// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/flow.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "planner/plan/transfer.hpp"

namespace foretile {

namespace {

/// Calls visit(second) for the pairs, sorted, whose first is `key`.
template <class Pairs, class Key, class Visit>
void for_each_of(const Pairs& pairs, const Key& key, const Visit& visit) {
  const auto first = [](const auto& pair) { return pair.first; };
  for (auto at = std::ranges::lower_bound(pairs, key, {}, first); at != pairs.end() && at->first == key; ++at)
    visit(at->second);
}

/// Of two messages: which goes out later.
bool later_step(const Message& l, const Message& r) {
  return std::pair(int{l.transfer->step}, l.number) > std::pair(int{r.transfer->step}, r.number);
}

}  // namespace

Flow::Flow(const PlanFrame& frame, const RankPlan& plan, const Contraction& contraction, Rank rank,
           Backend& backend, Operations& operations, Cores& cores, SendQueue& sends, Made made,
           bool cores_multiply)
    : frame_(frame),
      problem_(contraction),
      flow_(plan.flow),
      backend_(backend),
      operations_(operations),
      cores_(cores),
      sends_(sends),
      made_(std::move(made)),
      waits_(plan.flow.tasks.size(), 0),
      plan_(plan),
      rank_(rank),
      left_(frame.steps.size(), 0),
      cores_multiply_(cores_multiply) {
  list_tasks();
  list_results(static_cast<int>(plan.transfers.size() + plan.sums.size()));
  if (left_.empty()) return;
  for (const Transfer& result : flow_.results) ++left_[result.step];
  for (const Sum& sum : plan.sums) {
    if (sum.to) continue;
    for (const TileId tile : sum.tiles) ++left_[frame.step_of(tile)];
  }
  for (const Transfer& transfer : plan.transfers)
    left_[transfer.step] += std::ssize(children_of(transfer, rank, 0));
  for (const DevicePlan& device : plan.devices) {
    for (const Block& block : device.blocks) ++left_[block.chunks.front().step];
  }
}

void Flow::list_tasks() {
  for (std::size_t number = 0; number < flow_.tasks.size(); ++number) {
    const FlowTask& task = flow_.tasks[number];
    const auto at = static_cast<TaskNumber>(number);
    const bool comes = !task.adds() && frame_.tensors.comes_to(rank_, task.reads.id);
    if (task.after >= 0) behind_.emplace_back(task.after, at);
    if (task.adds()) readers_.emplace_back(task.reads.id, at);
    if (comes) awaiting_.emplace_back(Arrival(task.reads.id, task.step), at);
    waits_[number] = static_cast<std::uint8_t>((task.after >= 0 ? 1 : 0) + (task.adds() || comes ? 1 : 0));
    if (task.makes_operand()) unmade_.insert(task.writes);
    ++left_[task.step];
  }
  std::ranges::sort(behind_);
  std::ranges::sort(readers_);
  std::ranges::sort(awaiting_);
}

void Flow::list_results(int first_number) {
  tsl::robin_map<TileId, TaskNumber, TileIdHash> last_additions;
  for (std::size_t number = 0; number < flow_.tasks.size(); ++number) {
    const FlowTask& task = flow_.tasks[number];
    if (task.adds()) last_additions[task.writes.id] = static_cast<TaskNumber>(number);
  }
  for (const Transfer& result : flow_.results) {
    const TileId tile = result.tiles.front();
    Message message{std::make_shared<Transfer>(result), rank_, first_number++, 0,
                    bytes_of(problem_, {result.matrix, tile})};
    if (result.matrix == Matrix::c) {
      results_.emplace_back(tile, std::move(message));
    } else if (const auto last = last_additions.find(tile); last != last_additions.end()) {
      results_behind_.emplace_back(last->second, std::move(message));
    } else {
      results_ready_.push_back(std::move(message));
    }
  }
  const auto first = [](const auto& result) { return result.first; };
  std::ranges::stable_sort(results_, {}, first);
  std::ranges::stable_sort(results_behind_, {}, first);
  std::ranges::make_heap(results_ready_, later_step);
}

void Flow::sent(Rank owner, int number) {
  if (owner != rank_ || left_.empty()) return;
  const auto transfers = static_cast<int>(plan_.transfers.size());
  const auto results = transfers + static_cast<int>(plan_.sums.size());
  if (number < transfers) {
    --left_[plan_.transfers[static_cast<std::size_t>(number)].step];
  } else if (number >= results) {
    --left_[flow_.results[static_cast<std::size_t>(number - results)].step];
  }
}

Step Flow::first_open() {
  while (over_ < left_.size() && left_[over_] == 0) ++over_;
  return over_ < left_.size() ? Step::of(over_) : kEver;
}

void Flow::send_when_made(const Message& message) {
  Held held{message, 0};
  for (const TileId id : message.transfer->tiles) {
    const TileRef tile{message.transfer->matrix, id};
    if (!waits_for(tile)) continue;
    ++held.missing;
    transfers_of_[tile].push_back(transfers_.size());
  }
  if (held.missing == 0) {
    sends_.forward(message);
    return;
  }
  transfers_.push_back(std::move(held));
}

void Flow::start() {
  for (std::size_t task = 0; task < waits_.size(); ++task) {
    if (waits_[task] == 0) ready_.push(static_cast<TaskNumber>(task));
  }
}

void Flow::advance(Step everywhere) {
  while (!results_ready_.empty() && frame_.open_from[results_ready_.front().transfer->step] <= everywhere) {
    std::ranges::pop_heap(results_ready_, later_step);
    sends_.forward(results_ready_.back());
    results_ready_.pop_back();
  }
  const auto may_start = [&] {
    return !ready_.empty() &&
           frame_.open_from[flow_.tasks[static_cast<std::size_t>(ready_.top())].step] <= everywhere;
  };
  while (may_start()) {
    const TaskNumber number = ready_.top();
    const FlowTask& task = flow_.tasks[static_cast<std::size_t>(number)];
    const std::int64_t bytes = work_of(frame_, problem_, task).bytes;
    if (!has_room(bytes)) break;
    ready_.pop();
    const auto [id, event, work] = operations_.start<TaskOperation>(Cause::combine, kHost);
    event.bytes = bytes;
    work.task = number;
    if (cores_.free() > 0) {
      work.cores = may_start() ? 1 : free_cores_for(task, bytes);
      cores_.busy += work.cores;
      ++running_;
    } else {
      ++waiting_;
    }
    backend_.start_task(id, number, task, work.cores);
  }
  waits_for_core_ = may_start();
}

/// A long task would hold back what comes before those behind it, and wakes the progress loop anyway.
bool Flow::has_room(std::int64_t bytes) const {
  constexpr std::int64_t kSmall = 256 << 10;
  if (cores_.free() > 0) return true;
  return bytes <= kSmall && !cores_.sums_wait && waiting_ < running_ * backend_.waiting_tasks();
}

int Flow::free_cores_for(const FlowTask& task, std::int64_t bytes) const {
  constexpr std::int64_t kLeastPart = 8 << 20;
  const PlanTensors& tensors = frame_.tensors;
  const bool generates = !task.adds() && tensors.list[tensors.tensor_of(task.reads.id)].on_demand;
  if (cores_multiply_ || cores_.sums_wait || generates) return 1;
  return static_cast<int>(std::clamp<std::int64_t>(bytes / kLeastPart, 1, cores_.free()));
}

void Flow::satisfied(TaskNumber task) {
  if (--waits_[static_cast<std::size_t>(task)] == 0) ready_.push(task);
}

void Flow::computed(TileId tile) {
  for_each_of(readers_, tile, [this](TaskNumber task) { satisfied(task); });
  for_each_of(results_, tile, [this](const Message& message) { sends_.forward(message); });
}

void Flow::received(const Message& message) {
  const TileId tile = message.transfer->tiles.front();
  const auto satisfy = [this](TaskNumber task) { satisfied(task); };
  if (message.transfer->matrix == Matrix::c) {
    for_each_of(readers_, tile, satisfy);
  } else {
    for_each_of(awaiting_, Arrival(tile, message.transfer->step), satisfy);
  }
}

void Flow::made(TileRef tile) {
  unmade_.erase(tile);
  if (const auto waiting = transfers_of_.find(tile); waiting != transfers_of_.end()) {
    for (const std::size_t transfer : waiting->second) {
      Held& held = transfers_[transfer];
      if (--held.missing == 0) sends_.forward(held.message);
    }
    transfers_of_.erase(waiting);
  }
  made_(tile);
}

void Flow::done(const TaskOperation& operation, const TraceEvent& event, RankStatistics& statistics) {
  cores_.busy -= operation.cores - 1;
  if (waiting_ > 0) {  // has the core now
    --waiting_;
  } else {
    --running_;
    --cores_.busy;
  }
  ++statistics.combines;
  statistics.combined_bytes += event.bytes;
  statistics.combine_core_s += operation.cores * (event.end_s - event.start_s);
  const FlowTask& task = flow_.tasks[static_cast<std::size_t>(operation.task)];
  --left_[task.step];
  for_each_of(behind_, operation.task, [this](TaskNumber behind) { satisfied(behind); });
  for_each_of(results_behind_, operation.task, [this](const Message& message) {
    results_ready_.push_back(message);
    std::ranges::push_heap(results_ready_, later_step);
  });
  if (task.makes_operand()) {
    made(task.writes);
  } else if (!task.adds()) {
    computed(task.writes.id);
  }
}

}  // namespace foretile
