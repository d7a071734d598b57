// SPDX-License-Identifier: BSD-3-Clause
// A transfer of tiles as it travels: an envelope that says all the receiver must know, then the tiles.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/id.hpp"
#include "executor/tiles/heap_memory.hpp"
#include "executor/tiles/tile_buffer.hpp"
#include "executor/tiles/tile_view.hpp"
#include "planner/plan/plan.hpp"
#include "planner/problem/contraction.hpp"
#include "scheduler/path.hpp"

namespace foretile {

/// The header alone, for sending: 8-byte words that count the header's words, name owner and number, count
/// tiles and other ranks, name matrix, step, last step, tree and kind; then the tile ids, the other ranks and
/// padding to 64 bytes.
TileBuffer message_header(const Transfer& broadcast, Rank owner, int number,
                          std::pmr::memory_resource* memory = heap_memory());

/// What is not the same for all receivers of a transfer; behind the header.
struct Hop {
  Path path = {};        ///< the sender's (scheduler/path.hpp), until it began to send
  std::int64_t tag = 0;  ///< of the MPI messages that bring the tiles
};

/// Header and hop, to send.
std::vector<std::byte> message_envelope(std::span<const std::byte> header, const Hop& hop);

/// A header or a tile to send. The memory is another's.
struct MessagePiece {
  MessagePiece(std::span<const std::byte> bytes)
      : view{const_cast<std::byte*>(bytes.data()), std::ssize(bytes)}, extents{std::ssize(bytes), 1, 1} {}
  MessagePiece(std::span<std::byte> bytes) : MessagePiece(std::span<const std::byte>(bytes)) {}
  MessagePiece(TileView tile, const TileExtents& tile_extents) : view(tile), extents(tile_extents) {}

  bool gapless() const { return extents.gapless(view); }
  std::int64_t size() const { return extents.bytes(); }
  /// Of a piece without gaps.
  std::span<const std::byte> bytes() const { return {view.data, static_cast<std::size_t>(size())}; }

  TileView view;  // only read
  TileExtents extents;
};

/// A message as received: the envelope, then memory for the tiles, one behind the other, column-major,
/// without gaps.
class MessageBuffer {
 public:
  /// Room for an envelope of `bytes`; call `parse` when it is there.
  explicit MessageBuffer(std::int64_t bytes, std::pmr::memory_resource* memory = heap_memory());
  /// Memory for the tiles of a message.
  using MemoryFor =
      std::function<std::pmr::memory_resource*(const Transfer& transfer, Rank owner, int number)>;
  /// Reads the envelope and takes memory for the tiles, where `memory_for` says so. Throws WorkError when the
  /// envelope does not fit the contraction or its own length.
  void parse(const Contraction& contraction, const MemoryFor& memory_for = {});

  std::span<std::byte> envelope() const { return envelope_.bytes(); }
  /// The header, and each tile, to send on.
  std::vector<MessagePiece> pieces() const;
  std::byte* tiles() const { return tiles_.data(); }
  /// Of each tile.
  const std::vector<std::int64_t>& sizes() const { return sizes_; }
  const std::shared_ptr<const Transfer>& transfer() const { return transfer_; }
  Rank owner() const { return owner_; }
  int number() const { return number_; }
  std::int64_t tile_bytes() const { return tiles_.size(); }
  const Hop& hop() const { return hop_; }

 private:
  std::pmr::memory_resource* memory_;
  TileBuffer envelope_, tiles_;
  std::vector<std::int64_t> sizes_;
  std::int64_t header_bytes_ = 0;
  Rank owner_ = 0;
  int number_ = 0;
  Hop hop_;
  std::shared_ptr<const Transfer> transfer_;
};

}  // namespace foretile
