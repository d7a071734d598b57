// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/free_memory.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"

namespace foretile::free_memory_test {
namespace {

TEST(FreeMemory, IsSomething) {
  EXPECT_GT(available_memory_bytes(), 1 << 20);
}

TEST(FreeMemory, SaysWhatIsMissing) {
  require_free_memory(500, 2, 1000, "unused");
  try {
    require_free_memory(500, 2, 999, "use more nodes");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "this node: found 999 bytes of free memory, expected 1000 bytes, needed by 2 ranks of 500 "
                 "bytes each; 1 bytes are missing: use more nodes");
  }
}

}  // namespace
}  // namespace foretile::free_memory_test
