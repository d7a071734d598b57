// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/sums.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace foretile {

namespace {

/// Additions of parts of the rank's own devices.
std::size_t own_additions(const Sum& sum) {
  return sum.devices.empty() ? 0 : sum.devices.size() - 1;
}

/// The first of `from` whose parts are added to others; without own parts the first ones are where the sum
/// grows.
std::size_t first_added(const Sum& sum) {
  return sum.devices.empty() ? 1 : 0;
}

}  // namespace

Sums::Sums(const PlanFrame& frame, const RankPlan& plan, const Contraction& contraction, Rank rank,
           Backend& backend, Operations& operations, Cores& cores, SendQueue& sends, Finished on_finished)
    : frame_(frame),
      plan_(plan),
      problem_(contraction),
      rank_(rank),
      backend_(backend),
      operations_(operations),
      cores_(cores),
      sends_(sends),
      on_finished_(std::move(on_finished)),
      unfinished_(plan.sums.size()) {
  states_.reserve(plan.sums.size());
  for (const Sum& sum : plan.sums) {
    State state{&sum, 0, std::ssize(sum.tiles) * std::ssize(sum.devices), 0, {}, false};
    state.message_from.assign(sum.from.size(), -1);
    for (const TileId tile : sum.tiles) {
      state.bytes += contraction.c_bytes(tile);
      sum_of_.emplace(tile, states_.size());
    }
    expected_ += std::ssize(sum.from);
    states_.push_back(std::move(state));
  }
}

PlaceOfC Sums::computed_by(Device device) {
  return {.kind = PlaceOfC::Kind::device, .device = device};
}

PlaceOfC Sums::come_from(const State& state, std::size_t from) {
  return {
      .kind = PlaceOfC::Kind::message, .sender = state.sum->from[from], .number = state.message_from[from]};
}

/// The parts to which all others are added.
PlaceOfC Sums::growing(const State& state) {
  return state.sum->devices.empty() ? come_from(state, 0) : computed_by(state.sum->devices.front());
}

/// C at its owner, unless the parts can become C as they are.
bool Sums::needs_last(const State& state) const {
  return !state.sum->to && (problem_.reads_c() || problem_.alpha != 1.0 || state.sum->devices.empty());
}

std::size_t Sums::additions_of(const State& state) const {
  const Sum& sum = *state.sum;
  return own_additions(sum) + sum.from.size() - first_added(sum) + (needs_last(state) ? 1 : 0);
}

/// Nothing: it waits for parts. Requires that not all are done.
std::optional<Sums::Addition> Sums::next_addition(const State& state) const {
  const Sum& sum = *state.sum;
  if (state.missing > 0 || (sum.devices.empty() && state.message_from[0] < 0)) return std::nullopt;
  const std::size_t own = own_additions(sum);
  if (state.next < own) {
    const auto [to, from] = additions(frame_.sum_tree, static_cast<int>(sum.devices.size()))[state.next];
    return Addition{computed_by(sum.devices[static_cast<std::size_t>(to)]),
                    computed_by(sum.devices[static_cast<std::size_t>(from)])};
  }
  const std::size_t from = state.next - own + first_added(sum);
  if (from == sum.from.size()) return Addition{{}, growing(state), true};
  if (state.message_from[from] < 0) return std::nullopt;
  return Addition{growing(state), come_from(state, from)};
}

void Sums::stored(TileId tile) {
  const std::size_t number = sum_of_.at(tile);
  if (--states_[number].missing == 0) look_at(number);
}

void Sums::received(const Message& message) {
  const std::size_t number = sum_of_.at(message.transfer->tiles.front());
  State& state = states_[number];
  const auto from = std::find(state.sum->from.begin(), state.sum->from.end(), message.owner);
  assert(from != state.sum->from.end());
  state.message_from[static_cast<std::size_t>(from - state.sum->from.begin())] = message.number;
  --expected_;
  look_at(number);
}

/// Something may have become possible for the sum.
void Sums::look_at(std::size_t number) {
  State& state = states_[number];
  if (state.busy) return;
  if (state.next == additions_of(state)) {
    if (state.missing == 0) end(number);
    return;
  }
  if (!next_addition(state)) return;
  state.busy = true;
  ready_.push_back(number);
}

void Sums::advance() {
  while (!ready_.empty() && cores_.free() > 0) {
    start(ready_.front());
    ready_.pop_front();
  }
  cores_.sums_wait = !ready_.empty();
}

void Sums::start(std::size_t number) {
  const State& state = states_[number];
  const Addition addition = *next_addition(state);
  const auto [id, event, work] = operations_.start<CombineOperation>(Cause::combine, kHost);
  event.bytes = state.bytes;
  work.sum = number;
  work.combine = {state.sum->tiles, addition.to, addition.from};
  if (addition.last) {
    work.combine.beta = problem_.beta;
    work.combine.factor = problem_.alpha;
  }
  ++cores_.busy;
  backend_.start_combine(id, work.combine);
}

void Sums::done(const CombineOperation& operation, const TraceEvent& event, RankStatistics& statistics) {
  --cores_.busy;
  ++statistics.combines;
  statistics.combined_bytes += event.bytes;
  statistics.combine_core_s += event.end_s - event.start_s;
  State& state = states_[operation.sum];
  const PlaceOfC& from = operation.combine.from;
  if (from.kind == PlaceOfC::Kind::device) {
    backend_.release_parts(state.sum->tiles, from.device);
  } else {
    backend_.release_message(from.sender, from.number);
  }
  ++state.next;
  state.busy = false;
  look_at(operation.sum);
}

void Sums::end(std::size_t number) {
  State& state = states_[number];
  state.busy = true;
  if (state.sum->to) {
    send(number);
    return;
  }
  if (!needs_last(state)) backend_.keep_parts(state.sum->tiles, state.sum->devices.front());
  for (const TileId tile : state.sum->tiles) on_finished_(tile);
  --unfinished_;
}

void Sums::send(std::size_t number) {
  const Sum& sum = *states_[number].sum;
  const auto transfer = std::make_shared<const Transfer>(parts_message(sum));
  sends_.forward(
      {transfer, rank_, static_cast<int>(plan_.transfers.size() + number), 0, states_[number].bytes});
}

void Sums::sent(Rank owner, int number) {
  const auto transfers = std::ssize(plan_.transfers);
  if (owner != rank_ || number < transfers || number >= transfers + std::ssize(states_)) return;
  const Sum& sum = *states_[static_cast<std::size_t>(number - transfers)].sum;
  backend_.release_parts(sum.tiles, sum.devices.front());
  --unfinished_;
}

}  // namespace foretile
