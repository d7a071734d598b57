// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C and termination as a question to ask, while an object lives.
#pragma once

#include "base/signals.hpp"

namespace foretile {

/// Catches SIGINT, SIGTERM and SIGHUP from construction to destruction; one object at a time. A second signal
/// ends the process at once (base/signals.hpp).
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  /// The signal that arrived, 0 for none.
  int signal() const;

 private:
  KeepSignalHandlers old_;
};

}  // namespace foretile
