// Ctrl-C and termination as a question to ask, while an object lives.
#pragma once

#include <csignal>

namespace foretile {

/// Catches SIGINT and SIGTERM from construction to destruction; one object at a time.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal that arrived, 0 for none.
  int signal() const;

 private:
  struct sigaction old_interrupt_;
  struct sigaction old_terminate_;
};

}  // namespace foretile
