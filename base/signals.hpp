// SPDX-License-Identifier: BSD-3-Clause
// How the programs end when a signal asks them to.
#pragma once

#include <array>
#include <csignal>

namespace foretile {

/// SIGINT, SIGTERM and SIGHUP end the process from now on: end_by_signal(). SIGHUP stays ignored where the
/// caller ignores it (nohup). Call it again after a library has installed handlers of its own.
void end_on_signals();

/// Calls `handler` for the same signals instead. A file beyond the limit of setrlimit(2) becomes an error of
/// its write in both cases.
void catch_signals(void (*handler)(int));

/// Removes the temporary files (base/temporary_files.hpp) and exits with the code that shells report for this
/// signal, 128 + `number`. Async-signal-safe.
[[noreturn]] void end_by_signal(int number);

/// Puts back, when it goes, the handlers of all signals that were installed when it came.
class KeepSignalHandlers {
 public:
  KeepSignalHandlers();
  ~KeepSignalHandlers();
  KeepSignalHandlers(const KeepSignalHandlers&) = delete;
  KeepSignalHandlers& operator=(const KeepSignalHandlers&) = delete;

 private:
  static constexpr int kSignals = 32;  ///< the classic ones; libraries use no real-time signals here
  std::array<struct sigaction, kSignals> saved_{};
};

}  // namespace foretile
