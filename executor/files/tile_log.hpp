// SPDX-License-Identifier: BSD-3-Clause
// Tiles in a file that grows: what is left of a run that died.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <unordered_map>

#include "base/descriptor.hpp"
#include "executor/tiles/tile_view.hpp"
#include "planner/problem/shape.hpp"

namespace foretile {

/// Whose tiles a file holds. They are the first lines of the file.
struct TileLogOwner {
  std::string plan;  ///< digest of the plan file
  int rank = 0;
  int ranks = 1;
};

/// Records of a tile's number, its size, an XXH3 (https://xxhash.com) of both and of the numbers, and the
/// numbers, column-major without gaps, in this machine's byte order. A record that is cut off or damaged, and
/// what follows it, are dropped when the file is opened again. One process at a time has it open.
class TileLog {
 public:
  /// Makes the file if it is missing. `bytes_of`: of a tile that may be in it, less than 0 for others. Throws
  /// InputError for another owner's file, for what is no such file, and for one that another process has
  /// open.
  TileLog(std::filesystem::path path, const TileLogOwner& owner,
          const std::function<std::int64_t(TileId)>& bytes_of);

  bool contains(TileId tile) const { return places_.contains(tile); }
  std::int64_t tiles() const { return static_cast<std::int64_t>(places_.size()); }
  /// Dropped when the file was opened.
  std::int64_t dropped_bytes() const { return dropped_; }

  /// Takes room on the disk for so many more tiles of so many bytes in all. Does nothing where the file
  /// system cannot. Throws InputError when there is no room.
  void reserve(std::int64_t tiles, std::int64_t bytes);
  /// Gives back what reserve() took and add() did not use.
  void release_room();
  /// A tile that is not there yet. Throws WorkError; then the file is as before.
  void add(TileId tile, const TileExtents& extents, TileView numbers);
  /// Reads a tile that is there to `to`. Throws WorkError.
  void read(TileId tile, std::byte* to) const;

 private:
  struct Place {
    std::int64_t begin = 0;  // of the numbers
    std::int64_t bytes = 0;
    std::uint64_t hash = 0;
  };
  void lock();
  void begin(const std::string& header);
  void find_tiles(const std::function<std::int64_t(TileId)>& bytes_of);
  std::int64_t read_at(std::int64_t offset, void* to, std::int64_t bytes) const;
  void append(const void* from, std::int64_t bytes);
  void truncate();

  std::filesystem::path path_;
  Descriptor file_;
  std::int64_t end_ = 0;  // of the last whole record
  std::int64_t dropped_ = 0;
  std::unordered_map<TileId, Place> places_;
};

}  // namespace foretile
