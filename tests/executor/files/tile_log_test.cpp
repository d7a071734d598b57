// SPDX-License-Identifier: BSD-3-Clause
#include "executor/files/tile_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/error.hpp"
#include "tests/base/scratch_folder.hpp"

namespace foretile::tile_log_test {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kHeader = 17 + 22 + 12;  // "foretile tiles 1", "plan 0123456789abcdef", "rank 0 of 2"
constexpr std::int64_t kRecord = 32;            // before a tile's numbers
constexpr std::int64_t kTile = 48;              // 2 x 3 doubles

/// Tiles 0 to 9 of 2 x 3 doubles.
std::int64_t bytes_of(TileId tile) {
  return tile >= 0 && tile < 10 ? kTile : -1;
}

class TileLogTest : public ScratchFolder {
 protected:
  TileLog open() const { return {path_, owner_, bytes_of}; }
  /// Element e of tile t is 100 t + e, stored with a leading dimension of `ld`.
  static void add(TileLog& log, TileId tile, std::int64_t ld = 2) {
    std::vector<double> numbers(static_cast<std::size_t>(ld) * 3, -1);
    for (std::int64_t e = 0; e < 6; ++e)
      numbers[static_cast<std::size_t>(e / 2 * ld + e % 2)] = static_cast<double>(100 * tile + e);
    log.add(tile, {2, 3, 8}, {reinterpret_cast<std::byte*>(numbers.data()), ld});
  }
  static void expect_tile(const TileLog& log, TileId tile) {
    std::vector<double> numbers(6);
    log.read(tile, reinterpret_cast<std::byte*>(numbers.data()));
    for (std::int64_t e = 0; e < 6; ++e)
      EXPECT_EQ(numbers[static_cast<std::size_t>(e)], static_cast<double>(100 * tile + e));
  }
  void fill(int tiles) const {
    TileLog log = open();
    for (TileId tile = 0; tile < tiles; ++tile) add(log, tile);
  }
  std::string refused() const {
    try {
      open();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  TileLogOwner owner_{"0123456789abcdef", 0, 2};
  fs::path path_ = folder_ / "rank-0.tiles";
};

TEST_F(TileLogTest, KeepsTilesWithAndWithoutGaps) {
  {
    TileLog log = open();
    EXPECT_EQ(log.tiles(), 0);
    add(log, 7);
    add(log, 2, 5);
    expect_tile(log, 7);
  }
  const TileLog log = open();
  EXPECT_EQ(log.tiles(), 2);
  EXPECT_FALSE(log.contains(0));
  expect_tile(log, 2);
  expect_tile(log, 7);
  EXPECT_EQ(fs::file_size(path_), kHeader + 2 * (kRecord + kTile));
}

/// Wherever it ends, whole tiles are kept and the rest is written again.
TEST_F(TileLogTest, GoesOnBehindTheLastWholeTile) {
  fill(3);
  const auto whole = static_cast<std::int64_t>(fs::file_size(path_));
  for (std::int64_t size = 0; size <= whole; ++size) {
    SCOPED_TRACE(size);
    fs::resize_file(path_, static_cast<std::uintmax_t>(size));
    const std::int64_t left = std::max<std::int64_t>(0, size - kHeader) / (kRecord + kTile);
    TileLog log = open();
    EXPECT_EQ(log.tiles(), left);
    EXPECT_EQ(log.dropped_bytes(), size < kHeader ? 0 : size - kHeader - left * (kRecord + kTile));
    for (TileId tile = left; tile < 3; ++tile) add(log, tile);
    for (TileId tile = 0; tile < 3; ++tile) expect_tile(log, tile);
    EXPECT_EQ(static_cast<std::int64_t>(fs::file_size(path_)), whole);
  }
}

/// Whatever byte of the second of three tiles is wrong: the first is kept alone.
TEST_F(TileLogTest, DropsADamagedTileAndWhatFollows) {
  fill(3);
  const fs::path good = folder_ / "good";
  fs::copy_file(path_, good);
  for (std::int64_t at = 0; at < kRecord + kTile; ++at) {
    SCOPED_TRACE(at);
    fs::copy_file(good, path_, fs::copy_options::overwrite_existing);
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(kHeader + kRecord + kTile + at);
    const int byte = file.get();
    file.seekp(kHeader + kRecord + kTile + at);
    file.put(static_cast<char>(byte ^ 0x10));
    file.close();
    const TileLog log = open();
    EXPECT_EQ(log.tiles(), 1);
    EXPECT_EQ(log.dropped_bytes(), 2 * (kRecord + kTile));
    expect_tile(log, 0);
  }
}

TEST_F(TileLogTest, TakesRoomAndGivesItBack) {
  TileLog log = open();
  log.reserve(10, 10 * kTile);
  add(log, 1);
  EXPECT_EQ(fs::file_size(path_), kHeader + kRecord + kTile);
  log.release_room();
  expect_tile(log, 1);
  EXPECT_THROW(log.reserve(1, std::int64_t{1} << 60), InputError);
  expect_tile(log, 1);
}

TEST_F(TileLogTest, RefusesFilesOfOthers) {
  fill(1);
  {
    const TileLog open_elsewhere = open();
    EXPECT_NE(refused().find("in use by another run"), std::string::npos) << refused();
  }
  owner_.plan = "fedcba9876543210";
  EXPECT_NE(refused().find("found foretile tiles 1, plan 0123456789abcdef, rank 0 of 2, expected"),
            std::string::npos)
      << refused();
  std::ofstream(path_) << "something else altogether, and longer than any header would be";
  EXPECT_NE(refused().find("found something else"), std::string::npos) << refused();
  fs::remove(path_);
  fs::create_directory(path_);
  EXPECT_NE(refused(), "");
}

}  // namespace
}  // namespace foretile::tile_log_test
