// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/send_queue.hpp"

#include <algorithm>
#include <utility>

#include "planner/plan/transfer.hpp"

namespace foretile {

int SendQueue::forward(const Message& message) {
  const Transfer& transfer = *message.transfer;
  const auto children = children_of(transfer, message.owner, message.position);
  for (const int child : children) {
    Message copy = message;
    copy.position = child;
    entries_.push_back({transfer.others[child - 1], std::move(copy), entered_++});
    std::push_heap(entries_.begin(), entries_.end(), Later{});
  }
  return static_cast<int>(children.size());
}

SendQueue::Entry SendQueue::take() {
  std::pop_heap(entries_.begin(), entries_.end(), Later{});
  Entry entry = std::move(entries_.back());
  entries_.pop_back();
  return entry;
}

}  // namespace foretile
