// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/interrupt.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace foretile::interrupt_test {
namespace {

TEST(Interrupt, NotesTheFirstSignalAndEndsAtTheSecond) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const auto twice = [number] {
      const InterruptGuard guard;
      std::raise(number);
      if (guard.signal() != number) ::_exit(1);
      std::raise(number);
      ::_exit(0);
    };
    EXPECT_EXIT(twice(), testing::ExitedWithCode(128 + number), "");
  }
}

TEST(Interrupt, LeavesTheHandlersThatItFound) {
  struct sigaction before = {};
  struct sigaction after = {};
  ::sigaction(SIGINT, nullptr, &before);
  { const InterruptGuard guard; }
  ::sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(after.sa_handler, before.sa_handler);
}

TEST(Interrupt, ForgetsTheSignalOfTheGuardBefore) {
  const auto twice = [] {
    {
      const InterruptGuard guard;
      std::raise(SIGINT);
    }
    const InterruptGuard guard;
    ::_exit(guard.signal());
  };
  EXPECT_EXIT(twice(), testing::ExitedWithCode(0), "");
}

TEST(Interrupt, LeavesHangupAloneUnderNohup) {
  const auto hang_up = [] {
    std::signal(SIGHUP, SIG_IGN);
    const InterruptGuard guard;
    std::raise(SIGHUP);
    std::raise(SIGHUP);
    ::_exit(guard.signal());
  };
  EXPECT_EXIT(hang_up(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace foretile::interrupt_test
