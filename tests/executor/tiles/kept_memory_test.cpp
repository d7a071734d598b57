// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/kept_memory.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace foretile::kept_memory_test {
namespace {

/// Counts what is in use.
class Counted final : public std::pmr::memory_resource {
 public:
  std::int64_t pieces = 0, taken = 0;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    ++pieces;
    ++taken;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    --pieces;
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

TEST(KeptMemory, GivesTheSamePiecesAgain) {
  Counted upstream;
  {
    KeptMemory memory(&upstream);
    void* const first = memory.allocate(100, 64);
    void* const second = memory.allocate(200, 8);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 64, 0U);
    memory.deallocate(first, 100, 64);
    memory.deallocate(second, 200, 8);
    EXPECT_EQ(memory.allocate(100, 64), first);
    EXPECT_EQ(memory.allocate(200, 8), second);
    EXPECT_EQ(upstream.taken, 2);
    void* const third = memory.allocate(100, 64);
    EXPECT_EQ(upstream.taken, 3);
    memory.deallocate(first, 100, 64);
    memory.deallocate(second, 200, 8);
    memory.deallocate(third, 100, 64);
    EXPECT_EQ(upstream.pieces, 3);
  }
  EXPECT_EQ(upstream.pieces, 0);
}

}  // namespace
}  // namespace foretile::kept_memory_test
