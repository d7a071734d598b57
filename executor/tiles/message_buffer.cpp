// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/message_buffer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/error.hpp"

namespace foretile {

namespace {

/// The first words, in this order.
struct Fixed {
  std::int64_t words = -1;  // of the header
  std::int64_t owner = -1, number = -1;
  std::int64_t tiles = -1, others = -1;
  std::int64_t matrix = -1;
  std::int64_t step = -1, last_step = -1;
  std::int64_t tree = -1;
  std::int64_t ranks_of_node = -1;
  std::int64_t kind = -1;
};
constexpr std::int64_t kFixedWords = sizeof(Fixed) / 8;

std::int64_t header_words(std::int64_t tiles, std::int64_t others) {
  return (kFixedWords + tiles + others + 7) / 8 * 8;
}

bool is_rank(std::int64_t number) {
  return number >= 0 && number <= std::numeric_limits<int>::max();
}

/// Whether the numbers make sense by themselves, in a message of `words` words.
bool plausible(const Fixed& f, std::int64_t words) {
  if (f.tiles < 1 || f.others < 1 || f.tiles > words || f.others > words) return false;
  if (f.words > words || f.words != header_words(f.tiles, f.others)) return false;
  const bool of_c = f.matrix == static_cast<std::int64_t>(Matrix::c);
  if (f.kind == static_cast<std::int64_t>(TransferKind::parts)) {
    if (!of_c || f.others != 1) return false;
  } else if (f.kind == static_cast<std::int64_t>(TransferKind::result)) {
    if ((!of_c && f.matrix != static_cast<std::int64_t>(Matrix::t)) || f.others != 1) return false;
  } else if (f.kind != static_cast<std::int64_t>(TransferKind::broadcast) ||
             (f.matrix != static_cast<std::int64_t>(Matrix::a) &&
              f.matrix != static_cast<std::int64_t>(Matrix::b))) {
    return false;
  }
  if (f.tree < 0 || f.tree > static_cast<std::int64_t>(Tree::scatter)) return false;
  if (f.ranks_of_node < 1 || !is_rank(f.ranks_of_node)) return false;
  return is_rank(f.owner) && is_rank(f.number) && f.step >= 0 && f.step <= f.last_step &&
         f.last_step <= kEver;
}

}  // namespace

TileBuffer message_header(const Transfer& broadcast, Rank owner, int number,
                          std::pmr::memory_resource* memory) {
  const std::int64_t words = header_words(std::ssize(broadcast.tiles), std::ssize(broadcast.others));
  std::vector<std::int64_t> header{words,
                                   owner,
                                   number,
                                   std::ssize(broadcast.tiles),
                                   std::ssize(broadcast.others),
                                   static_cast<std::int64_t>(broadcast.matrix),
                                   broadcast.step,
                                   broadcast.last_step,
                                   static_cast<std::int64_t>(broadcast.tree),
                                   broadcast.ranks_of_node,
                                   static_cast<std::int64_t>(broadcast.kind)};
  header.insert(header.end(), broadcast.tiles.begin(), broadcast.tiles.end());
  header.insert(header.end(), broadcast.others.begin(), broadcast.others.end());
  header.resize(words, 0);
  TileBuffer buffer(8 * words, memory);
  std::memcpy(buffer.data(), header.data(), 8 * header.size());
  return buffer;
}

static_assert(std::is_trivially_copyable_v<Hop> && sizeof(Hop) % sizeof(std::int64_t) == 0);

std::vector<std::byte> message_envelope(std::span<const std::byte> header, const Hop& hop) {
  std::vector<std::byte> envelope(header.begin(), header.end());
  const auto of_hop = std::as_bytes(std::span(&hop, 1));
  envelope.insert(envelope.end(), of_hop.begin(), of_hop.end());
  return envelope;
}

MessageBuffer::MessageBuffer(std::int64_t bytes, std::pmr::memory_resource* memory)
    : memory_(memory), envelope_(bytes) {}

void MessageBuffer::parse(const Contraction& p, const MemoryFor& memory_for) {
  Fixed fixed;
  const std::int64_t words = envelope_.size() / 8;
  if (words >= kFixedWords) std::memcpy(static_cast<void*>(&fixed), envelope_.data(), sizeof fixed);
  if (!plausible(fixed, words)) {
    throw WorkError(
        fmt::format("message with an envelope of {} bytes: not one of foretile's", envelope_.size()));
  }
  header_bytes_ = 8 * fixed.words;
  owner_ = Rank::of(fixed.owner);
  number_ = static_cast<int>(fixed.number);
  std::vector<std::int64_t> list(fixed.tiles + fixed.others);
  std::memcpy(list.data(), envelope_.data() + sizeof fixed, 8 * list.size());
  Transfer broadcast;
  broadcast.tiles.assign(list.begin(), list.begin() + fixed.tiles);
  for (auto rank = list.begin() + fixed.tiles; rank != list.end(); ++rank)
    broadcast.others.push_back(Rank::of(*rank));
  broadcast.matrix = static_cast<Matrix>(fixed.matrix);
  broadcast.step = Step::of(fixed.step);
  broadcast.last_step = Step::of(fixed.last_step);
  broadcast.tree = static_cast<Tree>(fixed.tree);
  broadcast.ranks_of_node = static_cast<int>(fixed.ranks_of_node);
  broadcast.kind = static_cast<TransferKind>(fixed.kind);
  std::int64_t bytes = 0;
  for (const TileId tile : broadcast.tiles) {
    const TileId tiles =
        broadcast.matrix == Matrix::t ? std::ssize(p.t_elements) : shape_of(p, broadcast.matrix).nonzeros();
    if (tile < 0 || tile >= tiles) {
      throw WorkError(fmt::format("message with {} tile {}: not in this problem",
                                  "ABCT"[static_cast<int>(broadcast.matrix)], tile));
    }
    sizes_.push_back(bytes_of(p, {broadcast.matrix, tile}));
    bytes += sizes_.back();
  }
  if (const std::int64_t expected = header_bytes_ + static_cast<std::int64_t>(sizeof hop_);
      expected != envelope_.size()) {
    throw WorkError(
        fmt::format("message with an envelope of {} bytes: expected {}", envelope_.size(), expected));
  }
  std::memcpy(static_cast<void*>(&hop_), envelope_.data() + header_bytes_, sizeof hop_);
  if (hop_.tag < 0 || hop_.tag > std::numeric_limits<int>::max())
    throw WorkError(fmt::format("message with tag {}: not one of foretile's", hop_.tag));
  tiles_ = TileBuffer(bytes, memory_for ? memory_for(broadcast, owner_, number_) : memory_);
  transfer_ = std::make_shared<Transfer>(std::move(broadcast));
}

std::vector<MessagePiece> MessageBuffer::pieces() const {
  std::vector<MessagePiece> pieces{envelope().first(static_cast<std::size_t>(header_bytes_))};
  const std::byte* tile = tiles();
  for (const std::int64_t bytes : sizes_) {
    pieces.emplace_back(std::span<const std::byte>(tile, static_cast<std::size_t>(bytes)));
    tile += bytes;
  }
  return pieces;
}

}  // namespace foretile
