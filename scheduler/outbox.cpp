#include "scheduler/outbox.hpp"

#include "planner/owners.hpp"

namespace foretile {

int Outbox::forward(const Message& message) {
  const auto& destinations = message.broadcast->destinations;
  const auto children = tree_children(message.position, static_cast<int>(destinations.size()) + 1);
  for (const int child : children) {
    Message copy = message;
    copy.position = child;
    entries_.push({destinations[child - 1], std::move(copy), entered_++});
  }
  return static_cast<int>(children.size());
}

Outbox::Entry Outbox::take() {
  Entry entry = entries_.top();
  entries_.pop();
  return entry;
}

}  // namespace foretile
