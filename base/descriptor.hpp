// SPDX-License-Identifier: BSD-3-Clause
// A POSIX file descriptor that closes itself.
#pragma once

#include <string>
#include <utility>

namespace foretile {

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  explicit operator bool() const { return number_ >= 0; }
  int get() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  /// False when the system reports that earlier writes failed.
  bool close();

 private:
  int number_;
};

/// The text of the current `errno`.
std::string system_message();

}  // namespace foretile
