// SPDX-License-Identifier: BSD-3-Clause
#include "base/missing_memory.hpp"

#include <gtest/gtest.h>

namespace foretile::missing_memory_test {
namespace {

TEST(MissingMemory, SaysHowManyBytesAndKeepsItsTypeAsInputError) {
  try {
    throw missing_memory("device 0", "9 bytes", "at most 7", 2, "use smaller tiles");
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "device 0: found 9 bytes, expected at most 7; 2 bytes are missing: use smaller tiles");
    const auto* const memory = dynamic_cast<const MissingMemory*>(&error);
    ASSERT_TRUE(memory);
    EXPECT_FALSE(memory->matrices_alone());
  }
  EXPECT_TRUE(missing_memory("", "", "", 1, "", true).matrices_alone());
}

}  // namespace
}  // namespace foretile::missing_memory_test
