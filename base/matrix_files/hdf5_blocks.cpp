// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/hdf5_blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/matrix_files/tile_cuts.hpp"

namespace foretile::hdf5 {

namespace {

constexpr std::int64_t kMostTiles = 100'000'000;

Object member(const Object& group, const char* name) {
  return dataset(H5Dopen2(group.id(), name, H5P_DEFAULT));
}

/// Where a tile is.
struct Block {
  MatrixTile tile;
  std::int64_t first = 0;
};

std::vector<Block> read_offsets(const Object& group, const std::string& name) {
  const auto numbers = whole_numbers(member(group, "offsets"), name + "/offsets", 3 * kMostTiles);
  if (numbers.size() % 3 != 0)
    throw input_error(name + "/offsets", fmt::format("{} numbers", numbers.size()), "three for each block");
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < numbers.size(); i += 3) {
    if (std::min(numbers[i], numbers[i + 1]) < 1 || std::max(numbers[i], numbers[i + 1]) > INT32_MAX)
      throw input_error(name + "/offsets", fmt::format("block ({}, {})", numbers[i], numbers[i + 1]),
                        "rows and columns counted from 1");
    blocks.push_back(
        {{static_cast<std::int32_t>(numbers[i] - 1), static_cast<std::int32_t>(numbers[i + 1] - 1)},
         numbers[i + 2]});
  }
  std::sort(blocks.begin(), blocks.end(), [](const Block& x, const Block& y) { return x.tile < y.tile; });
  return blocks;
}

std::vector<std::int64_t> read_sizes(const Object& group, const char* key, const std::string& name) {
  if (H5Lexists(group.id(), key, H5P_DEFAULT) <= 0)
    throw input_error(name, fmt::format("blocks without '{}'", key),
                      "the sizes of the tiles beside them, in row_tiles and column_tiles",
                      "add them as two lists of whole numbers (docs/files.md)");
  return whole_numbers(member(group, key), fmt::format("{}/{}", name, key), kMostTiles);
}

void require_two_dimensions(const Object& group, const std::string& name) {
  const Object found = member(group, "ndims");
  std::int64_t dimensions = 0;
  if (!found) throw input_error(name, "blocks without 'ndims'", "ndims = 2");
  const auto sizes = extents(found);
  const Object stored = type(H5Dget_type(found.id()));
  const bool one =
      sizes && std::accumulate(sizes->begin(), sizes->end(), hsize_t{1}, std::multiplies<>()) == 1;
  if (!one || H5Tget_class(stored.id()) != H5T_INTEGER ||
      H5Dread(found.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, &dimensions) < 0)
    throw input_error(name + "/ndims", "no whole number", "2");
  if (dimensions != 2)
    throw input_error(name + "/ndims", fmt::format("{} dimensions", dimensions), "2: a matrix",
                      "fuse the indices to two before writing");
}

/// The blocks are inside the data and do not overlap.
void check_places(const MatrixFacts& facts, const std::vector<Block>& blocks, std::int64_t elements,
                  const std::string& name) {
  std::vector<std::pair<std::int64_t, std::int64_t>> spans;
  for (const Block& block : blocks) {
    const std::int64_t size = facts.row_tiles[static_cast<std::size_t>(block.tile.row)] *
                              facts.column_tiles[static_cast<std::size_t>(block.tile.column)];
    if (block.first < 0 || block.first > elements || size > elements - block.first)
      throw input_error(name + "/offsets",
                        fmt::format("block ({}, {}) of {} elements from {} on", block.tile.row + 1,
                                    block.tile.column + 1, size, block.first),
                        fmt::format("blocks inside the {} elements of data", elements),
                        "offsets count elements from 0");
    spans.emplace_back(block.first, block.first + size);
  }
  std::sort(spans.begin(), spans.end());
  const auto overlap = std::adjacent_find(spans.begin(), spans.end(),
                                          [](const auto& x, const auto& y) { return x.second > y.first; });
  if (overlap != spans.end())
    throw input_error(name + "/offsets",
                      fmt::format("a block from {} to {} and another from {} on", overlap->first,
                                  overlap->second, std::next(overlap)->first),
                      "blocks that do not overlap");
}

struct Data {
  Object dataset;
  StoredType type;
  std::int64_t elements = 0;
};

Data open_data(const Object& group, const std::string& name) {
  Data data{member(group, "data"), {}, 0};
  if (!data.dataset) throw input_error(name, "blocks without 'data'", "a dataset with their elements");
  const auto type = stored_type(data.dataset);
  const auto sizes = extents(data.dataset);
  if (!type)
    throw input_error(name + "/data", type_name(data.dataset),
                      "float or double, or complex as h5py stores it");
  if (!sizes || sizes->size() != 1 || (*sizes)[0] > static_cast<hsize_t>(INT64_MAX / 16))
    throw input_error(name + "/data", fmt::format("{} dimensions", sizes ? sizes->size() : 0), "1");
  data.type = *type;
  data.elements = static_cast<std::int64_t>((*sizes)[0]);
  return data;
}

}  // namespace

bool is_block_group(const Object& group) {
  return H5Lexists(group.id(), "offsets", H5P_DEFAULT) > 0 && H5Lexists(group.id(), "data", H5P_DEFAULT) > 0;
}

std::unique_ptr<MatrixReader> open_blocks(const SharedFile& file, const Object& group,
                                          const std::string& name) {
  require_two_dimensions(group, name);
  const std::vector<Block> blocks = read_offsets(group, name);
  std::vector<MatrixTile> tiles;
  std::vector<std::int64_t> offsets;
  for (const Block& block : blocks) {
    tiles.push_back(block.tile);
    offsets.push_back(block.first);
  }
  Data data = open_data(group, name);
  MatrixFacts facts = block_sparse_facts(name, read_sizes(group, "row_tiles", name),
                                         read_sizes(group, "column_tiles", name), tiles, data.type.element);
  check_places(facts, blocks, data.elements, name);
  auto elements = element_list(file, std::move(data.dataset), data.type.element, data.elements,
                               name + "/data", data.type.native);
  return std::make_unique<BlockReader>(std::move(facts), std::move(offsets), std::move(elements));
}

}  // namespace foretile::hdf5
