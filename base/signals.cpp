// SPDX-License-Identifier: BSD-3-Clause
#include "base/signals.hpp"

#include <unistd.h>

#include "base/progress.hpp"
#include "base/temporary_files.hpp"

namespace foretile {

namespace {

bool ignored(int number) {
  struct sigaction now = {};
  return ::sigaction(number, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

void end_on_signals() {
  catch_signals(end_by_signal);
}

void catch_signals(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  ::sigfillset(&action.sa_mask);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    if (number != SIGHUP || !ignored(number)) ::sigaction(number, &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

void end_by_signal(int number) {
  remove_temporary_files();
  erase_progress();
  ::_exit(128 + number);
}

KeepSignalHandlers::KeepSignalHandlers() {
  for (int number = 1; number < kSignals; ++number) ::sigaction(number, nullptr, &saved_[number]);
}

KeepSignalHandlers::~KeepSignalHandlers() {
  for (int number = 1; number < kSignals; ++number) ::sigaction(number, &saved_[number], nullptr);
}

}  // namespace foretile
