// SPDX-License-Identifier: BSD-3-Clause
#include "base/missing_memory.hpp"

#include <gtest/gtest.h>

#include <string>

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
    EXPECT_EQ(memory->short_of(), ShortOf::device_memory);
  }
  const MissingMemory of_host = missing_memory("", "", "", 2'500'000, "", ShortOf::host_memory);
  EXPECT_EQ(of_host.short_of(), ShortOf::host_memory);
  EXPECT_NE(std::string(of_host.what()).find("2500000 bytes (2.50 MB) are missing"), std::string::npos);
}

}  // namespace
}  // namespace foretile::missing_memory_test
