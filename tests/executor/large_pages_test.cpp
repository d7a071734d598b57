// SPDX-License-Identifier: BSD-3-Clause
#include "executor/large_pages.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

namespace foretile::large_pages_test {
namespace {

TEST(LargePages, WhatLiesInTheMemoryStays) {
  std::vector<std::byte> memory((std::size_t{1} << 22) + 3, std::byte{7});
  prefer_large_pages({memory.data() + 1, memory.size() - 2});
  for (const std::byte byte : memory) ASSERT_EQ(byte, std::byte{7});
}

TEST(LargePages, NoMemoryIsNoError) {
  prefer_large_pages({});
  std::byte one{};
  prefer_large_pages({&one, 1});
}

}  // namespace
}  // namespace foretile::large_pages_test
