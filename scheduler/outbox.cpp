#include "scheduler/outbox.hpp"

#include "planner/owners.hpp"

namespace foretile {

void Outbox::forward(const Message& message) {
  const auto& destinations = message.broadcast->destinations;
  for (const int child : tree_children(message.position, static_cast<int>(destinations.size()) + 1)) {
    Message copy = message;
    copy.position = child;
    entries_.push({destinations[child - 1], std::move(copy), entered_++});
  }
}

Outbox::Entry Outbox::take() {
  Entry entry = entries_.top();
  entries_.pop();
  return entry;
}

}  // namespace foretile
