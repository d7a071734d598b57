#include "executor/message_buffer.hpp"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "base/error.hpp"

namespace foretile {

namespace {

constexpr std::int64_t kFixedWords = 5;

std::int64_t header_words(std::size_t tiles, std::size_t destinations) {
  const auto words = kFixedWords + static_cast<std::int64_t>(tiles + destinations);
  return (words + 7) / 8 * 8;
}

std::int64_t tile_words(const Contraction& p, const Broadcast& broadcast) {
  std::int64_t bytes = 0;
  for (const TileId a : broadcast.tiles) bytes += p.a_bytes(a);
  return bytes / 8;
}

}  // namespace

MessageBuffer::MessageBuffer(const Contraction& p, const Broadcast& broadcast, int owner, int number)
    : words_(header_words(broadcast.tiles.size(), broadcast.destinations.size()) + tile_words(p, broadcast)),
      memory_(8 * words_),
      header_(header_words(broadcast.tiles.size(), broadcast.destinations.size())),
      owner_(owner),
      number_(number),
      broadcast_(std::make_shared<Broadcast>(broadcast)) {
  std::vector<std::int64_t> header{header_, owner, number, static_cast<std::int64_t>(broadcast.tiles.size()),
                                   static_cast<std::int64_t>(broadcast.destinations.size())};
  header.insert(header.end(), broadcast.tiles.begin(), broadcast.tiles.end());
  header.insert(header.end(), broadcast.destinations.begin(), broadcast.destinations.end());
  header.resize(header_, 0);
  std::memcpy(memory_.data(), header.data(), 8 * header.size());
}

MessageBuffer::MessageBuffer(std::int64_t words) : words_(words), memory_(8 * words) {}

void MessageBuffer::parse(const Contraction& p) {
  std::vector<std::int64_t> fixed(kFixedWords, -1);
  if (words_ >= kFixedWords) std::memcpy(fixed.data(), memory_.data(), 8 * kFixedWords);
  header_ = fixed[0];
  owner_ = static_cast<int>(fixed[1]);
  number_ = static_cast<int>(fixed[2]);
  const std::int64_t tiles = fixed[3];
  const std::int64_t destinations = fixed[4];
  if (tiles < 1 || destinations < 1 || tiles > words_ || destinations > words_ || header_ > words_ ||
      header_ != header_words(tiles, destinations)) {
    throw WorkError(fmt::format("message of {} words: not one of foretile's", words_));
  }
  std::vector<std::int64_t> list(tiles + destinations);
  std::memcpy(list.data(), memory_.data() + kFixedWords, 8 * list.size());
  Broadcast broadcast;
  broadcast.tiles.assign(list.begin(), list.begin() + tiles);
  broadcast.destinations.assign(list.begin() + tiles, list.end());
  for (const TileId a : broadcast.tiles) {
    if (a < 0 || a >= p.a.nonzeros())
      throw WorkError(fmt::format("message with A tile {}: not in this problem", a));
  }
  if (header_ + tile_words(p, broadcast) != words_) {
    throw WorkError(
        fmt::format("message of {} words: expected {}", words_, header_ + tile_words(p, broadcast)));
  }
  broadcast_ = std::make_shared<Broadcast>(std::move(broadcast));
}

}  // namespace foretile
