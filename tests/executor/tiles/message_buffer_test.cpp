// SPDX-License-Identifier: BSD-3-Clause
#include "executor/tiles/message_buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/error.hpp"

namespace foretile::message_buffer_test {
namespace {

/// One row of A with tiles of 2 x 3 and 2 x 4.
Contraction small() {
  const Shape a = Shape::dense(1, 2);
  const Shape b = Shape::dense(2, 1);
  return {"small", Tiling({0, 2}), Tiling({0, 5}), Tiling({0, 3, 7}), a, b, symbolic_product(a, b, 0)};
}

MessageBuffer received_with(const TileBuffer& header, const Hop& hop = {}) {
  const std::vector<std::byte> envelope = message_envelope(header.bytes(), hop);
  MessageBuffer received(std::ssize(envelope));
  std::copy(envelope.begin(), envelope.end(), received.envelope().begin());
  return received;
}

TEST(MessageBuffer, ParsesWhatWasSent) {
  const Contraction p = small();
  // 10 + 2 + 3 words of header are padded to 16; 6 and 8 elements follow.
  MessageBuffer received = received_with(message_header({{0, 1}, {2, 3, 1}}, 4, 7));
  received.parse(p);
  EXPECT_EQ(received.tile_bytes(), 8 * 14);
  EXPECT_EQ(received.sizes(), (std::vector<std::int64_t>{8 * 6, 8 * 8}));
  EXPECT_EQ(received.owner(), 4);
  EXPECT_EQ(received.number(), 7);
  EXPECT_EQ(received.transfer()->tiles, (std::vector<TileId>{0, 1}));
  EXPECT_EQ(received.transfer()->others, (std::vector<Rank>{2, 3, 1}));
  const auto pieces = received.pieces();
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0].size(), 8 * 16);
  EXPECT_EQ(pieces[1].view.data, received.tiles());
  EXPECT_EQ(pieces[2].view.data, received.tiles() + 8 * 6);
  EXPECT_EQ(pieces[2].size(), 8 * 8);
}

TEST(MessageBuffer, CarriesTheTree) {
  for (const Tree tree : {Tree::by_node, Tree::scatter}) {
    Transfer transfer{{0, 1}, {2, 3, 1}};
    transfer.tree = tree;
    transfer.ranks_of_node = 4;
    MessageBuffer received = received_with(message_header(transfer, 4, 7));
    received.parse(small());
    EXPECT_EQ(received.transfer()->tree, tree);
    EXPECT_EQ(received.transfer()->ranks_of_node, 4);
  }
}

TEST(MessageBuffer, CarriesPathAndTagOfTheSender) {
  const Path path = Path{}.plus(Cause::kernel, Part::work, 3).plus(PathOperation{Cause::h2d, 2, 80});
  MessageBuffer received = received_with(message_header({{0, 1}, {2}}, 4, 7), {path, 99});
  received.parse(small());
  EXPECT_EQ(received.hop().path.parts, path.parts);
  EXPECT_EQ(received.hop().path.longest.bytes, 80);
  EXPECT_EQ(received.hop().tag, 99);
}

// B's tiles have 3 x 5 and 4 x 5 elements.
TEST(MessageBuffer, CarriesTilesOfBAndTheirSteps) {
  const Contraction p = small();
  MessageBuffer received = received_with(message_header({{1}, {2}, Matrix::b, 3, 5}, 0, 1));
  received.parse(p);
  EXPECT_EQ(received.transfer()->matrix, Matrix::b);
  EXPECT_EQ(received.transfer()->step, 3);
  EXPECT_EQ(received.transfer()->last_step, 5);
  EXPECT_EQ(received.transfer()->tree, Tree::binomial);
  EXPECT_EQ(received.tile_bytes(), 8 * 20);
}

// The 5 x 3 elements of B's first tile are no whole number of words.
TEST(MessageBuffer, HoldsAnOddNumberOfFloats) {
  Contraction p = small();
  p.precision = Precision::f32;
  MessageBuffer received = received_with(message_header({{0}, {2}, Matrix::b, 0, 1}, 0, 1));
  received.parse(p);
  EXPECT_EQ(received.tile_bytes(), 60);
}

TEST(MessageBuffer, RefusesOtherMessages) {
  const Contraction p = small();
  const TileBuffer header = message_header({{0, 1}, {2}, Matrix::a, 2, 8}, 0, 0);
  ASSERT_NO_THROW(received_with(header).parse(p));
  for (std::int64_t word = 0; word < 11; ++word) {
    for (const std::int64_t value : {std::int64_t{-1}, std::int64_t{9}, std::int64_t{1} << 60}) {
      if ((word == 1 || word == 2 || word == 7 || word == 9) && value == 9)
        continue;  // owner, number, last step, node
      MessageBuffer received = received_with(header);
      std::memcpy(received.envelope().data() + 8 * word, &value, 8);
      EXPECT_THROW(received.parse(p), WorkError) << "word " << word << " value " << value;
    }
  }
  for (const std::int64_t tag : {std::int64_t{-1}, std::int64_t{1} << 40})
    EXPECT_THROW(received_with(header, {{}, tag}).parse(p), WorkError) << tag;
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{8}, std::int64_t{16}, header.size()}) {
    MessageBuffer part(bytes);
    std::copy_n(header.bytes().begin(), bytes, part.envelope().begin());
    EXPECT_THROW(part.parse(p), WorkError);
  }
}

}  // namespace
}  // namespace foretile::message_buffer_test
