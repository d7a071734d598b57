#include "executor/message_buffer.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "base/error.hpp"

namespace foretile {
namespace {

/// One row of A with tiles of 2 x 3 and 2 x 4.
Contraction small() {
  const Shape a = Shape::dense(1, 2);
  const Shape b = Shape::dense(2, 1);
  return {"small", Tiling({0, 2}), Tiling({0, 5}), Tiling({0, 3, 7}), a, b, symbolic_product(a, b, 0)};
}

TEST(MessageBuffer, ParsesWhatWasSent) {
  const Contraction p = small();
  MessageBuffer sent(p, {{0, 1}, {2, 3, 1}}, 4, 7);
  // 5 + 2 + 3 words of header are padded to 16; 6 and 8 elements follow.
  ASSERT_EQ(sent.size(), 16 + 14);
  EXPECT_EQ(sent.tile_bytes(), 8 * 14);
  sent.tiles()[13] = 0.5;
  MessageBuffer received(sent.size());
  std::memcpy(received.words(), sent.words(), 8 * sent.size());
  received.parse(p);
  EXPECT_EQ(received.owner(), 4);
  EXPECT_EQ(received.number(), 7);
  EXPECT_EQ(received.broadcast()->tiles, (std::vector<TileId>{0, 1}));
  EXPECT_EQ(received.broadcast()->destinations, (std::vector<int>{2, 3, 1}));
  EXPECT_EQ(received.tiles()[13], 0.5);
}

TEST(MessageBuffer, RefusesOtherMessages) {
  const Contraction p = small();
  MessageBuffer sent(p, {{0, 1}, {2}}, 0, 0);
  for (std::int64_t word = 0; word < 8; ++word) {
    for (const std::int64_t value : {std::int64_t{-1}, std::int64_t{9}, std::int64_t{1} << 60}) {
      if (word == 1 || word == 2 || word == 7) continue;  // owner, number and destination may be anything
      MessageBuffer received(sent.size());
      std::memcpy(received.words(), sent.words(), 8 * sent.size());
      std::memcpy(received.words() + word, &value, 8);
      EXPECT_THROW(received.parse(p), WorkError) << "word " << word << " value " << value;
    }
  }
  MessageBuffer tiny(2);
  EXPECT_THROW(tiny.parse(p), WorkError);
}

}  // namespace
}  // namespace foretile
