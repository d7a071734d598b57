// SPDX-License-Identifier: BSD-3-Clause
// Messages that a rank has still to send.
#pragma once

#include <tuple>
#include <vector>

#include "scheduler/backend.hpp"

namespace foretile {

/// Earlier steps first, and within a step earlier broadcasts, own and forwarded ones alike: all ranks then
/// receive in about the order in which they work.
class SendQueue {
 public:
  struct Entry {
    Rank to_rank = 0;
    Message message;
    std::uint64_t order = 0;  ///< of entering, among equals
  };

  /// Enters one message for each child of `message`'s position in its tree. Returns how many these are.
  int forward(const Message& message);
  bool empty() const { return entries_.empty(); }
  const Entry& next() const { return entries_.front(); }
  Entry take();

 private:
  struct Later {
    bool operator()(const Entry& l, const Entry& r) const {
      const auto key = [](const Entry& e) {
        return std::tuple(e.message.transfer->step, e.message.number, e.order);
      };
      return key(l) > key(r);
    }
  };
  std::vector<Entry> entries_;  // a heap; not std::priority_queue, from which nothing can be moved
  std::uint64_t entered_ = 0;
};

}  // namespace foretile
