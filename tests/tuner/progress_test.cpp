#include "tuner/progress.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <array>

namespace foretile {
namespace {

std::string read_once(int descriptor) {
  ::fcntl(descriptor, F_SETFL, O_NONBLOCK);
  std::array<char, 1000> text;
  const ssize_t count = ::read(descriptor, text.data(), text.size());
  return {text.data(), count < 0 ? 0 : static_cast<std::size_t>(count)};
}

std::string read_all(int descriptor) {
  std::string all;
  std::array<char, 1000> text;
  for (ssize_t count = 0; (count = ::read(descriptor, text.data(), text.size())) > 0;) {
    all.append(text.data(), static_cast<std::size_t>(count));
  }
  return all;
}

TEST(ProgressText, TellsWhatIsKnown) {
  EXPECT_EQ(progress_text({0, 100, 2, {}, 0.1, {}}), "tune 0/100");
  EXPECT_EQ(progress_text({12, 100, 2, 34.9123, 9, 41.4}), "tune 12/100, best 34.91 s, 41 s left");
  EXPECT_EQ(progress_text({12, 100, 2, {}, 9, 125.0}), "tune 12/100, 2 min 05 s left");
  EXPECT_EQ(progress_text({12, 100, 2, {}, 9, 7260.0}), "tune 12/100, 2 h 01 min left");
}

TEST(ProgressLine, WritesNothingIntoAPipe) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  { ProgressLine(ends[1]).show({1, 2, 1, 3.0, 1, 1.0}); }
  EXPECT_EQ(read_once(ends[0]), "");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(ProgressLine, RewritesOneLineOfATerminal) {
  int reader = -1;
  int terminal = -1;
  if (::openpty(&reader, &terminal, nullptr, nullptr, nullptr) != 0)
    GTEST_SKIP() << "no pseudo terminals here";
  {
    ProgressLine line(terminal);
    line.show({1, 2, 1, 3.0, 1, 1.0});
    line.show({1, 2, 1, 3.0, 1, 1.0});
  }
  ::close(terminal);  // then reading ends when all has come
  EXPECT_EQ(read_all(reader), "\r\x1b[Ktune 1/2, best 3 s, 1 s left\r\x1b[K");
  ::close(reader);
}

}  // namespace
}  // namespace foretile
