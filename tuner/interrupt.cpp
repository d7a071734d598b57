#include "tuner/interrupt.hpp"

namespace foretile {

namespace {

volatile std::sig_atomic_t arrived = 0;

void note(int number) {
  arrived = number;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  arrived = 0;
  struct sigaction action = {};
  action.sa_handler = note;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, &old_interrupt_);
  ::sigaction(SIGTERM, &action, &old_terminate_);
}

InterruptGuard::~InterruptGuard() {
  ::sigaction(SIGINT, &old_interrupt_, nullptr);
  ::sigaction(SIGTERM, &old_terminate_, nullptr);
}

int InterruptGuard::signal() const {
  return arrived;
}

}  // namespace foretile
