// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/interrupt.hpp"

#include <csignal>

namespace foretile {

namespace {

volatile std::sig_atomic_t arrived = 0;

void note(int number) {
  if (arrived != 0) end_by_signal(number);
  arrived = number;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  arrived = 0;
  catch_signals(note);
}

int InterruptGuard::signal() const {
  return arrived;
}

}  // namespace foretile
