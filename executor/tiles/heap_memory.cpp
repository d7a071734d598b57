// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/heap_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "executor/tiles/in_parallel.hpp"
#include "executor/tiles/large_pages.hpp"
#include "executor/tiles/tile_buffer.hpp"

namespace foretile {

namespace {

/// malloc's pieces begin at multiples of this; so much room is before each aligned place at least.
constexpr std::size_t kLeast = alignof(std::max_align_t);

class Heap final : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    const std::size_t room = alignment < kLeast ? kLeast : alignment;
    if (bytes > std::numeric_limits<std::size_t>::max() - room) throw std::bad_alloc();
    auto* const piece = static_cast<std::byte*>(std::malloc(bytes + room));
    if (!piece) throw std::bad_alloc();
    std::byte* const place = piece + (room - reinterpret_cast<std::uintptr_t>(piece) % room);
    std::memcpy(place - sizeof(piece), &piece, sizeof(piece));
    return place;
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override {
    std::byte* piece = nullptr;
    std::memcpy(&piece, static_cast<std::byte*>(memory) - sizeof(piece), sizeof(piece));
    std::free(piece);
  }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};

}  // namespace

std::pmr::memory_resource* heap_memory() {
  static Heap heap;
  return &heap;
}

/// In one piece: the allocator writes between pieces, and a large page of which a part is there cannot come.
void touch_heap(std::int64_t bytes, int threads) {
  constexpr std::int64_t kPage = 4096, kPart = std::int64_t{64} << 20;
  const TileBuffer pool(bytes);
  prefer_large_pages(pool.bytes());
  in_parallel(static_cast<std::size_t>((bytes + kPart - 1) / kPart), threads, [&](std::size_t part) {
    const std::int64_t first = static_cast<std::int64_t>(part) * kPart;
    for (std::int64_t at = first; at < std::min(bytes, first + kPart); at += kPage)
      pool.data()[at] = std::byte{0};
  });
}

}  // namespace foretile
