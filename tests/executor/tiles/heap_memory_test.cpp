// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/heap_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <vector>

namespace foretile::heap_memory_test {
namespace {

TEST(HeapMemory, PlacesAreAlignedAndApart) {
  struct Place {
    std::byte* data;
    std::size_t bytes, alignment;
    int value;
  };
  std::vector<Place> places;
  for (const std::size_t alignment : {1, 8, 16, 64, 4096}) {
    for (const std::size_t bytes : {0, 1, 63, 64, 5408, 1 << 20}) {
      auto* const data = static_cast<std::byte*>(heap_memory()->allocate(bytes, alignment));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % alignment, 0U) << bytes << " at " << alignment;
      places.push_back({data, bytes, alignment, static_cast<int>(places.size()) + 1});
      std::memset(data, places.back().value, bytes);
    }
  }
  for (const auto& [data, bytes, alignment, value] : places) {
    for (std::size_t i = 0; i < bytes; ++i) ASSERT_EQ(data[i], static_cast<std::byte>(value));
    heap_memory()->deallocate(data, bytes, alignment);
  }
}

TEST(HeapMemory, TooMuchIsBadAlloc) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  EXPECT_THROW(static_cast<void>(heap_memory()->allocate(most, 64)), std::bad_alloc);
  EXPECT_THROW(static_cast<void>(heap_memory()->allocate(most / 4, 64)), std::bad_alloc);
  EXPECT_THROW(touch_heap(static_cast<std::int64_t>(most / 4)), std::bad_alloc);
}

/// Pages are of 2 MB at most.
TEST(HeapMemory, IsTouched) {
  constexpr std::int64_t kBytes = std::int64_t{256} << 20;
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  touch_heap(kBytes, 2);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_GE(after.ru_minflt - before.ru_minflt, kBytes / (2 << 20));
  for (const std::int64_t few : {0, 1, 4095}) touch_heap(few);  // sanitizers see an overrun
}

TEST(HeapMemory, IsOne) {
  EXPECT_TRUE(heap_memory()->is_equal(*heap_memory()));
  EXPECT_FALSE(heap_memory()->is_equal(*std::pmr::new_delete_resource()));
}

}  // namespace
}  // namespace foretile::heap_memory_test
