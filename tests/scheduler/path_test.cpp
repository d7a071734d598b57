// SPDX-License-Identifier: BSD-3-Clause
#include "scheduler/path.hpp"

#include <gtest/gtest.h>

namespace foretile::path_test {
namespace {

/// 5 s of products and 2 s of copies at the sender; the message arrives at 7.5 s and took 0.5 s.
TEST(Path, AMessageTookTheTimeSinceItsSenderWasDone) {
  const Path sent = Path{}.plus(Cause::kernel, Part::work, 5).plus(PathOperation{Cause::h2d, 2, 100});
  const Path found = sent.arriving(300, 7.5);
  EXPECT_DOUBLE_EQ(found.seconds(Cause::kernel), 5);
  EXPECT_DOUBLE_EQ(found.seconds(Cause::h2d), 2);
  EXPECT_DOUBLE_EQ(found.seconds(Cause::network), 0.5);
  EXPECT_DOUBLE_EQ(found.seconds(Cause::network, Part::latency_bound), 0.5);
  EXPECT_DOUBLE_EQ(found.total(), 7.5);
  EXPECT_EQ(found.longest.cause, Cause::h2d);
}

TEST(Path, TheLongestPieceMayBeTheMessage) {
  const Path found = Path{}.plus(PathOperation{Cause::h2d, 1, 100}).arriving(300, 4);
  EXPECT_EQ(found.longest.cause, Cause::network);
  EXPECT_DOUBLE_EQ(found.longest.seconds, 3);
  EXPECT_EQ(found.longest.bytes, 300);
}

/// The receiver's clock shows 6 s where the sender's showed 8 s: everything counts three quarters.
TEST(Path, ShrinksWhereTheClocksDiffer) {
  const Path sent = Path{}.plus(Cause::kernel, Part::work, 4).plus(PathOperation{Cause::h2d, 4, 100});
  const Path found = sent.arriving(300, 6);
  EXPECT_DOUBLE_EQ(found.seconds(Cause::kernel), 3);
  EXPECT_DOUBLE_EQ(found.seconds(Cause::h2d), 3);
  EXPECT_DOUBLE_EQ(found.seconds(Cause::network), 0);
  EXPECT_DOUBLE_EQ(found.longest.seconds, 3);
}

}  // namespace
}  // namespace foretile::path_test
