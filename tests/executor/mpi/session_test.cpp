// SPDX-License-Identifier: BSD-3-Clause
#include "executor/mpi/session.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"

namespace foretile::session_test {
namespace {

/// The last rank fails with this text; what the others learn, or what it throws itself.
FailedElsewhere learned(const std::string& text) {
  const int last = size_of(MPI_COMM_WORLD) - 1;
  try {
    agree(MPI_COMM_WORLD, [&] {
      if (rank_in(MPI_COMM_WORLD) == last) throw InputError(text);
    });
  } catch (const FailedElsewhere& elsewhere) {
    EXPECT_NE(rank_in(MPI_COMM_WORLD), last);
    return elsewhere;
  } catch (const AgreedError& own) {
    EXPECT_EQ(rank_in(MPI_COMM_WORLD), last);
    return {2, text_of(own.error)};
  }
  ADD_FAILURE() << "no rank failed";
  return {};
}

TEST(Agreement, TellsTheOthersWhy) {
  const FailedElsewhere found = learned("3 Å are too few");
  EXPECT_EQ(found.exit_code, 2);
  EXPECT_EQ(found.text, "3 Å are too few");
}

/// Whatever such a text is: errors cut off what is longer than a terminal shows.
TEST(Agreement, TellsALongTextAsItsErrorDoes) {
  const std::string text(5000, 'x');
  EXPECT_EQ(learned(text).text, InputError(text).what());
}

TEST(Agreement, TheLowestRankThatFailsIsHeard) {
  try {
    agree(MPI_COMM_WORLD,
          [] { throw WorkError("rank " + std::to_string(static_cast<int>(rank_in(MPI_COMM_WORLD)))); });
    FAIL();
  } catch (const FailedElsewhere& elsewhere) {
    EXPECT_EQ(elsewhere.exit_code, 1);
    EXPECT_EQ(elsewhere.text, "rank 0");
  } catch (const AgreedError& own) {
    EXPECT_EQ(text_of(own.error), "rank 0");
  }
}

}  // namespace
}  // namespace foretile::session_test
