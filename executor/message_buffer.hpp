// A broadcast of tiles as it travels: a header that says all the receiver must know, then the tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>

#include "base/id.hpp"
#include "executor/heap_memory.hpp"
#include "executor/tile_buffer.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "scheduler/path.hpp"

namespace foretile {

/// The header alone, for sending: 8-byte words that count the header's words, name owner and number, count
/// tiles and other ranks, name matrix, step, last step, tree and kind; then the tile ids, the other ranks and
/// padding to 64 bytes. The tiles follow one behind the other, column-major, without gaps.
TileBuffer message_header(const Transfer& broadcast, Rank owner, int number,
                          std::pmr::memory_resource* memory = heap_memory());

/// Bytes behind the tiles: the sender's path (scheduler/path.hpp), a whole number of elements.
inline constexpr std::int64_t kPathBytes = sizeof(Path);

/// A message as received: header, tiles and the sender's path in one piece.
class MessageBuffer {
 public:
  /// Room for `bytes` bytes; call `parse` when they are there.
  explicit MessageBuffer(std::int64_t bytes, std::pmr::memory_resource* memory = heap_memory());
  /// Reads the header. Throws WorkError when it does not fit the contraction or the length.
  void parse(const Contraction& contraction);

  std::span<std::byte> bytes() const { return memory_.bytes(); }
  /// Header and tiles, to send on.
  std::span<std::byte> bytes_to_forward() const {
    return bytes().first(bytes().size() - static_cast<std::size_t>(kPathBytes));
  }
  std::byte* tiles() const { return memory_.data() + header_bytes_; }
  const std::shared_ptr<const Transfer>& transfer() const { return transfer_; }
  Rank owner() const { return owner_; }
  int number() const { return number_; }
  std::int64_t tile_bytes() const { return memory_.size() - header_bytes_ - kPathBytes; }
  /// The sender's, until it began to send.
  const Path& path() const { return path_; }

 private:
  TileBuffer memory_;
  std::int64_t header_bytes_ = 0;
  Rank owner_ = 0;
  int number_ = 0;
  Path path_;
  std::shared_ptr<const Transfer> transfer_;
};

}  // namespace foretile
