#include "scheduler/outbox.hpp"

#include <algorithm>
#include <utility>

#include "planner/plan/owners.hpp"

namespace foretile {

int Outbox::forward(const Message& message) {
  const auto& destinations = message.broadcast->destinations;
  const auto children = tree_children(message.position, static_cast<int>(destinations.size()) + 1);
  for (const int child : children) {
    Message copy = message;
    copy.position = child;
    entries_.push_back({destinations[child - 1], std::move(copy), entered_++});
    std::push_heap(entries_.begin(), entries_.end(), Later{});
  }
  return static_cast<int>(children.size());
}

Outbox::Entry Outbox::take() {
  std::pop_heap(entries_.begin(), entries_.end(), Later{});
  Entry entry = std::move(entries_.back());
  entries_.pop_back();
  return entry;
}

}  // namespace foretile
