// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/engine.hpp"

#include <algorithm>
#include <utility>

namespace foretile {

void Engine::after(double seconds, EventKey key, Event then) {
  const double at_s = now() + seconds;
  timers_.push_back({at_s, timers_set_++, {key, std::move(then)}});
  std::push_heap(timers_.begin(), timers_.end(), later);
  timer_set(at_s);
}

double Engine::next_timer_s() const {
  return timers_.empty() ? std::numeric_limits<double>::infinity() : timers_.front().at_s;
}

void Engine::notify() {
  while (next_timer_s() <= now() + kInstant_s) {
    std::pop_heap(timers_.begin(), timers_.end(), later);
    due_.push_back(std::move(timers_.back().due));
    timers_.pop_back();
  }
  std::stable_sort(due_.begin(), due_.end(), [](const Due& x, const Due& y) { return x.key < y.key; });
  std::swap(due_, notified_);
  for (Due& due : notified_) due.then();
  notified_.clear();
}

}  // namespace foretile
