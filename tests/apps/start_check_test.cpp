// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/start_check.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace foretile::start_check_test {
namespace {

TEST(StartCheck, KnowsWhatMpiTakesOfSharedMemory) {
  EXPECT_NO_THROW(require_shared_memory(64'000'000, 64'000'000, 14));
  EXPECT_NO_THROW(require_shared_memory(64'000'000, 5'000'000, 14));  // the others have theirs
  EXPECT_THROW(require_shared_memory(64'000'000, 64'000'000, 15), InputError);
  EXPECT_THROW(require_shared_memory(64'000'000, 4'000'000, 1), InputError);
}

}  // namespace
}  // namespace foretile::start_check_test
