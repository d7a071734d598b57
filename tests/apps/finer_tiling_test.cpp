// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/finer_tiling.hpp"

#include <gtest/gtest.h>

#include "base/missing_memory.hpp"

namespace foretile::finer_tiling_test {
namespace {

/// By the type of the refusal, whatever it says.
TEST(FinerTiling, HelpsWhereMemoryIsMissingBesideTheMatrices) {
  EXPECT_TRUE(asks_for_finer_tiles(missing_memory("a", "b", "c", 1, "d")));
  EXPECT_FALSE(asks_for_finer_tiles(missing_memory("a", "b", "c", 1, "d", true)));
  EXPECT_FALSE(asks_for_finer_tiles(InputError("1 bytes are missing: d")));
}

}  // namespace
}  // namespace foretile::finer_tiling_test
