// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/large_pages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace foretile::large_pages_test {
namespace {

TEST(LargePages, WhatLiesInTheMemoryStays) {
  std::vector<std::byte> memory((std::size_t{1} << 22) + 3, std::byte{7});
  prefer_large_pages({memory.data() + 1, memory.size() - 2});
  for (const std::byte byte : memory) ASSERT_EQ(byte, std::byte{7});
}

/// Whether the system was asked for large pages here: "hg" in its table of this process's memory.
bool is_asked_for(const std::byte* place) {
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  std::ifstream table("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(table, line);) {
    std::uintptr_t begin = 0, end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) here = begin <= address && address < end;
    if (here && line.starts_with("VmFlags:")) return line.find(" hg") != std::string::npos;
  }
  return false;
}

TEST(LargePages, TheSystemIsAskedForThem) {
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled")) GTEST_SKIP() << "the system has none";
  std::vector<std::byte> memory(std::size_t{1} << 23);
  prefer_large_pages(memory);
  EXPECT_TRUE(is_asked_for(memory.data() + memory.size() / 2));
}

TEST(LargePages, NoMemoryIsNoError) {
  prefer_large_pages({});
  std::byte one{};
  prefer_large_pages({&one, 1});
}

}  // namespace
}  // namespace foretile::large_pages_test
