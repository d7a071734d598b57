// Messages that a rank has still to send.
#pragma once

#include <queue>
#include <utility>
#include <vector>

#include "scheduler/backend.hpp"

namespace foretile {

/// Earlier broadcasts first, own and forwarded ones alike: all ranks then receive in about the order of k in
/// which they work.
class Outbox {
 public:
  struct Entry {
    int to_rank = 0;
    Message message;
    std::uint64_t order = 0;  ///< of entering, among equals
  };

  /// Enters one message for each child of `message`'s position in its tree.
  void forward(const Message& message);
  bool empty() const { return entries_.empty(); }
  Entry take();

 private:
  struct Later {
    bool operator()(const Entry& l, const Entry& r) const {
      return std::pair(l.message.number, l.order) > std::pair(r.message.number, r.order);
    }
  };
  std::priority_queue<Entry, std::vector<Entry>, Later> entries_;
  std::uint64_t entered_ = 0;
};

}  // namespace foretile
