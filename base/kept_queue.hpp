// SPDX-License-Identifier: BSD-3-Clause
// A queue that keeps its memory.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace foretile {

/// As std::deque, from which entries leave in the order in which they came, but it asks for memory only when
/// it holds more entries than ever before. Requires a T that can be made from nothing and moved.
template <class T>
class KeptQueue {
 public:
  /// Memory for that many entries.
  explicit KeptQueue(std::size_t entries = 0) : entries_(entries) {}

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// Counted from the oldest entry.
  const T& operator[](std::size_t number) const { return entries_[place(number)]; }
  T& front() { return entries_[first_]; }
  const T& front() const { return entries_[first_]; }
  /// The entry, as it is stored.
  T& push_back(T entry) {
    if (size_ == entries_.size()) grow();
    T& stored = entries_[place(size_)];
    ++size_;
    stored = std::move(entry);
    return stored;
  }
  void pop_front() { take_front(); }
  T take_front() {
    T entry = std::exchange(entries_[first_], T{});
    first_ = place(1);
    --size_;
    return entry;
  }

 private:
  static constexpr std::size_t kFirstEntries = 16;

  std::size_t place(std::size_t number) const {
    const std::size_t at = first_ + number;
    return at < entries_.size() ? at : at - entries_.size();
  }
  void grow() {
    std::vector<T> more(entries_.empty() ? kFirstEntries : 2 * entries_.size());
    for (std::size_t number = 0; number < size_; ++number) more[number] = std::move(entries_[place(number)]);
    entries_.swap(more);
    first_ = 0;
  }

  std::vector<T> entries_;  // from first_ on, round the end
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace foretile
