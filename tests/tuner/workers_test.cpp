// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/workers.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <thread>

#include "base/error.hpp"

namespace foretile::workers_test {
namespace {

using std::chrono::milliseconds;

Outcome done(double seconds) {
  return {Outcome::Status::done, seconds, "", {}};
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void sleep_ms(int ms) {
  std::this_thread::sleep_for(milliseconds(ms));
}

/// The outcome of one evaluation with that cost model.
Outcome outcome_of(const CostFunction& cost, WorkerLimits limits = {1, 20, 0}) {
  Workers workers(cost, limits);
  workers.start({{"p", "1"}});
  const auto finished = workers.wait(30);
  if (finished.size() != 1) return {Outcome::Status::failed, 0, "the test waited in vain", {}};
  EXPECT_EQ(finished[0].candidate, (Candidate{{"p", "1"}}));
  EXPECT_EQ(workers.count(), 0);
  return finished[0].outcome;
}

void expect_failure(const Outcome& outcome, const std::string& message) {
  EXPECT_EQ(outcome.status, Outcome::Status::failed);
  EXPECT_NE(outcome.message.find(message), std::string::npos) << outcome.message;
}

TEST(Workers, BringBackOutcomes) {
  const Outcome sent{Outcome::Status::done, 34.9, "", {{"bytes", 123}, {"text", std::string(300'000, 'x')}}};
  EXPECT_EQ(outcome_of([&](const Candidate&) { return sent; }), sent);
}

TEST(Workers, TakeARefusalForInfeasible) {
  const Outcome outcome = outcome_of([](const Candidate&) -> Outcome { throw InputError("does not fit"); });
  EXPECT_EQ(outcome, (Outcome{Outcome::Status::infeasible, 0, "does not fit", {}}));
}

TEST(Workers, RecordExceptions) {
  expect_failure(outcome_of([](const Candidate&) -> Outcome { throw std::runtime_error("oh \xff no"); }),
                 "oh ");
  expect_failure(outcome_of([](const Candidate&) -> Outcome { throw 3; }), "unknown type");
}

TEST(Workers, RecordCrashesWithTheirLastWords) {
  const Outcome outcome = outcome_of([](const Candidate&) -> Outcome {
    std::fputs("first\nthe tile is gone\n", stderr);
    std::raise(SIGKILL);
    return {};
  });
  expect_failure(outcome, "signal 9");
  expect_failure(outcome, "the tile is gone");
  EXPECT_EQ(outcome.message.find("first"), std::string::npos);
}

TEST(Workers, RecordExits) {
  expect_failure(outcome_of([](const Candidate&) -> Outcome { ::_exit(7); }), "exit code 7");
  expect_failure(outcome_of([](const Candidate&) -> Outcome { ::_exit(0); }), "without a result");
}

TEST(Workers, DoNotTakeImpossibleTimes) {
  for (const double seconds : {-1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    expect_failure(outcome_of([=](const Candidate&) { return done(seconds); }), "no valid outcome");
  }
}

TEST(Workers, RecordGarbage) {
  // A cost model gone wild that writes to all descriptors opened for it, the result pipe among them.
  std::vector<int> unused;
  for (int file = 3; file < 64; ++file) {
    if (::fcntl(file, F_GETFD) < 0) unused.push_back(file);
  }
  const auto wild = [&](const Candidate&) {
    for (const int file : unused) {
      if (::write(file, "garbage\n", 8) < 0) continue;
    }
    return done(1);
  };
  expect_failure(outcome_of(wild), "without a result");
}

TEST(Workers, EndWhatTakesTooLong) {
  const auto start = std::chrono::steady_clock::now();
  const auto hang = [](const Candidate&) -> Outcome {
    std::signal(SIGTERM, SIG_IGN);
    for (;;) sleep_ms(1000);
  };
  expect_failure(outcome_of(hang, {1, 0.2, 0}), "longer than 0.2 s");
  EXPECT_LT(seconds_since(start), 5);
}

TEST(Workers, DoNotWaitForClosedPipesOrGrandchildren) {
  // Closes the pipe and hangs: the time limit still ends it.
  const auto close_and_hang = [](const Candidate&) -> Outcome {
    for (int file = 3; file < 64; ++file) ::close(file);
    for (;;) sleep_ms(1000);
  };
  expect_failure(outcome_of(close_and_hang, {1, 0.2, 0}), "longer than 0.2 s");
  // Leaves a grandchild behind that holds the pipe.
  const auto start = std::chrono::steady_clock::now();
  const auto leave_behind = [](const Candidate&) {
    if (::fork() == 0) {
      sleep_ms(20'000);
      ::_exit(0);
    }
    return done(2);
  };
  EXPECT_EQ(outcome_of(leave_behind), done(2));
  EXPECT_LT(seconds_since(start), 5);
}

TEST(Workers, LimitMemory) {
#ifdef FORETILE_SANITIZED
  GTEST_SKIP() << "sanitizers need terabytes of address space";
#endif
  const auto greedy = [](const Candidate&) {
    std::vector<char> memory(std::size_t{1} << 30, 'x');
    return done(memory[12345]);
  };
  expect_failure(outcome_of(greedy, {1, 20, std::uint64_t{256} << 20}), "limit of 256 MiB");
}

TEST(Workers, KeepChildrensOutputToThemselves) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const Outcome outcome = outcome_of([](const Candidate&) {
    std::puts("noise");
    std::fflush(stdout);
    std::fputs("noise", stderr);
    return done(1);
  });
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(outcome, done(1));
}

TEST(Workers, RunSeveralAtATime) {
  Workers workers(
      [](const Candidate& candidate) {
        sleep_ms(300);
        return done(std::stod(candidate.at("p")));
      },
      {8, 20, 0});
  const auto start = std::chrono::steady_clock::now();
  for (int p = 0; workers.has_room(); ++p) workers.start({{"p", std::to_string(p)}});
  ASSERT_EQ(workers.count(), 8);
  double sum = 0;
  while (workers.count() > 0) {
    for (const Evaluation& evaluation : workers.wait(5)) {
      sum += evaluation.outcome.makespan_s;
      EXPECT_GE(evaluation.wall_s, 0.29);
    }
  }
  EXPECT_EQ(sum, 28);                        // 0 + 1 + ... + 7
  EXPECT_LT(seconds_since(start), 8 * 0.3);  // one after the other would take 2.4 s
}

TEST(Workers, WaitNoLongerThanAsked) {
  Workers workers(
      [](const Candidate&) {
        sleep_ms(10'000);
        return done(1);
      },
      {1, 20, 0});
  workers.start({{"p", "1"}});
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(workers.wait(0.1).empty());
  EXPECT_LT(seconds_since(start), 2);
  workers.end({{"p", "2"}});
  EXPECT_EQ(workers.count(), 1);
  workers.end({{"p", "1"}});
  EXPECT_EQ(workers.count(), 0);
}

TEST(Workers, RefuseImpossibleLimits) {
  const auto cost = [](const Candidate&) { return done(1); };
  EXPECT_THROW(Workers(cost, {-1, 1, 0}), InputError);
  EXPECT_THROW(Workers(cost, {1, 0, 0}), InputError);
  EXPECT_THROW(Workers(cost, {1, std::nan(""), 0}), InputError);
}

}  // namespace
}  // namespace foretile::workers_test
