// SPDX-License-Identifier: BSD-3-Clause
#include "base/progress.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>

namespace foretile::progress_test {
namespace {

/// Takes the place of the terminal and of the clock.
class ProgressLineTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::pipe2(ends_.data(), O_NONBLOCK), 0); }
  void TearDown() override {
    line_.reset();
    for (const int end : ends_) ::close(end);
  }

  ProgressLine& line() {
    if (!line_)
      line_.emplace(ProgressTerminal{ends_[1], [this] { return foreground_; }}, [this] { return now_s_; });
    return *line_;
  }

  /// What was painted since the last call.
  std::string painted() {
    std::array<char, 1000> text;
    const ssize_t count = ::read(ends_[0], text.data(), text.size());
    return {text.data(), count < 0 ? 0 : static_cast<std::size_t>(count)};
  }

  double now_s_ = 100;
  bool foreground_ = true;
  std::optional<ProgressLine> line_;

 private:
  std::array<int, 2> ends_{};
};

TEST(DurationText, HasSecondsMinutesOrHours) {
  EXPECT_EQ(duration_text(41.4), "41 s");
  EXPECT_EQ(duration_text(125), "2 min 05 s");
  EXPECT_EQ(duration_text(7260), "2 h 01 min");
}

TEST(ProgressText, RoundsTheShareDown) {
  EXPECT_EQ(progress_text("plan", 0.999, 41.4), "plan 99%, 41 s left");
  EXPECT_EQ(progress_text("plan", 0, {}), "plan 0%");
}

TEST(SecondsLeft, FollowsThePaceSoFar) {
  EXPECT_EQ(seconds_left(0, 5), std::nullopt);
  EXPECT_DOUBLE_EQ(*seconds_left(0.25, 5), 15);
}

// Predicted 100 s. As predicted: the rest of it. Half as fast: between the rest of it and the pace so far.
TEST(SecondsLeft, BeginsWithThePrediction) {
  EXPECT_DOUBLE_EQ(*seconds_left(0, 0, 100), 100);
  EXPECT_DOUBLE_EQ(*seconds_left(0.25, 25, 100), 75);
  EXPECT_DOUBLE_EQ(*seconds_left(0.25, 50, 100), 93.75);
  EXPECT_DOUBLE_EQ(*seconds_left(0.9, 180, 100), 19);
}

TEST_F(ProgressLineTest, PaintsNothingInTheFirstTwoSeconds) {
  line().show("early");
  now_s_ += 1.9;
  line().show("early");
  line_.reset();
  EXPECT_EQ(painted(), "");
}

TEST_F(ProgressLineTest, RepaintsFiveTimesASecond) {
  line();
  now_s_ += 2;
  line().show("a");
  EXPECT_EQ(painted(), "\r\x1b[Ka\r");
  now_s_ += 0.1;
  line().show("b");
  EXPECT_EQ(painted(), "");
  now_s_ += 0.11;
  line().show("c");
  EXPECT_EQ(painted(), "\r\x1b[Kc\r");
  line_.reset();
  EXPECT_EQ(painted(), "\r\x1b[K");
}

TEST_F(ProgressLineTest, PaintsNothingInTheBackground) {
  line();
  now_s_ += 3;
  foreground_ = false;
  line().show("a");
  EXPECT_EQ(painted(), "");
}

TEST_F(ProgressLineTest, IsErasedOnceBeforeOtherOutput) {
  line();
  now_s_ += 3;
  line().show("a");
  painted();
  erase_progress();
  EXPECT_EQ(painted(), "\r\x1b[K");
  erase_progress();
  line_.reset();
  EXPECT_EQ(painted(), "");
}

TEST_F(ProgressLineTest, StaysWhenAChildProcessPrints) {
  line();
  now_s_ += 3;
  line().show("a");
  painted();
  const pid_t child = ::fork();
  if (child == 0) {
    erase_progress();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(painted(), "");
}

TEST_F(ProgressLineTest, StagesShowShareAndTimeLeft) {
  line();
  now_s_ += 10;
  const CountFunction done = line().stage("plan", 1000);
  done(0);
  EXPECT_EQ(painted(), "\r\x1b[Kplan 0%\r");
  now_s_ += 4;
  done(400);
  EXPECT_EQ(painted(), "\r\x1b[Kplan 40%, 6 s left\r");
  now_s_ += 4;
  done(2000);  // more than was thought
  EXPECT_EQ(painted(), "\r\x1b[Kplan 100%, 0 s left\r");
}

/// 10 s pass before the first count: of the 4 s after it 40% took all.
TEST_F(ProgressLineTest, StagesMayBeginWithTheirFirstCount) {
  line();
  const CountFunction done = line().stage_from_first_count("run", 1000);
  now_s_ += 10;
  done(1);
  EXPECT_EQ(painted(), "\r\x1b[Krun 0%\r");
  now_s_ += 4;
  done(400);
  EXPECT_EQ(painted(), "\r\x1b[Krun 40%, 6 s left\r");
}

TEST_F(ProgressLineTest, StagesBeginWithThePrediction) {
  now_s_ = 0;
  line();
  now_s_ = 4;
  const CountFunction done = line().stage("run", 1000, 60);
  done(0);
  EXPECT_EQ(painted(), "\r\x1b[Krun 0%, 1 min 00 s left\r");
}

TEST(ProgressLine, AsksNobodyWithoutATerminal) {
  ProgressLine line({}, [] { return 0.0; });
  EXPECT_FALSE(line.stage("plan", 1));
}

TEST(ProgressLine, TakesAPipeForNoTerminal) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const int saved = ::dup(STDERR_FILENO);
  ::dup2(ends[1], STDERR_FILENO);
  const ProgressTerminal terminal = own_terminal();
  ::dup2(saved, STDERR_FILENO);
  for (const int end : {saved, ends[0], ends[1]}) ::close(end);
  EXPECT_EQ(terminal.descriptor, -1);
}

}  // namespace
}  // namespace foretile::progress_test
