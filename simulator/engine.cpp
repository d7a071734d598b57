// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/engine.hpp"

#include <algorithm>
#include <utility>

namespace foretile {

void Engine::after(double seconds, EventKey key, Event then) {
  const double at_s = now() + seconds;
  timers_.push_back({at_s, timers_set_++, waiting_slot({key, std::move(then)})});
  std::push_heap(timers_.begin(), timers_.end(), later);
  timer_set(at_s);
}

std::uint32_t Engine::waiting_slot(Due due) {
  if (free_slots_.empty()) {
    waiting_.push_back(std::move(due));
    return static_cast<std::uint32_t>(waiting_.size() - 1);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  waiting_[slot] = std::move(due);
  return slot;
}

double Engine::next_timer_s() const {
  return timers_.empty() ? std::numeric_limits<double>::infinity() : timers_.front().at_s;
}

void Engine::notify() {
  while (next_timer_s() <= now() + kInstant_s) {
    std::pop_heap(timers_.begin(), timers_.end(), later);
    due_.push_back(std::move(waiting_[timers_.back().slot]));
    free_slots_.push_back(timers_.back().slot);
    timers_.pop_back();
  }
  if (due_.size() > 1)  // it asks for memory, also to sort one
    std::stable_sort(due_.begin(), due_.end(), [](const Due& x, const Due& y) { return x.key < y.key; });
  std::swap(due_, notified_);
  for (Due& due : notified_) due.then();
  notified_.clear();
}

}  // namespace foretile
