// A broadcast of tiles as it travels: a header that says all the receiver must know, then the tiles.
#pragma once

#include <cstdint>
#include <memory>

#include "executor/tile_buffer.hpp"
#include "planner/contraction.hpp"
#include "planner/plan.hpp"

namespace foretile {

/// Layout in 8-byte words: words of header, owner, number, tiles, destinations, the tile ids, the
/// destinations, padding to 64 bytes; then the tiles one behind the other, column-major.
class MessageBuffer {
 public:
  /// For sending: room for the tiles, which the caller fills.
  MessageBuffer(const Contraction& contraction, const Broadcast& broadcast, int owner, int number);
  /// For receiving `words` words; call `parse` when they are there.
  explicit MessageBuffer(std::int64_t words);
  /// Reads the header. Throws WorkError when it does not fit the contraction or the length.
  void parse(const Contraction& contraction);

  double* words() { return memory_.data(); }
  const double* words() const { return memory_.data(); }
  std::int64_t size() const { return words_; }
  double* tiles() const { return memory_.data() + header_; }
  const std::shared_ptr<const Broadcast>& broadcast() const { return broadcast_; }
  int owner() const { return owner_; }
  int number() const { return number_; }
  std::int64_t tile_bytes() const { return 8 * (words_ - header_); }

 private:
  std::int64_t words_ = 0;
  TileBuffer memory_;
  std::int64_t header_ = 0;
  int owner_ = 0;
  int number_ = 0;
  std::shared_ptr<const Broadcast> broadcast_;
};

}  // namespace foretile
