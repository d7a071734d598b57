// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/matrix_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "base/error.hpp"
#include "base/matrix_files/hdf5.hpp"
#include "base/matrix_files/market_reader.hpp"
#include "base/matrix_files/npy.hpp"

namespace foretile {

namespace {

bool fits(std::int64_t begin, std::int64_t size, std::int64_t extent) {
  return begin >= 0 && size >= 0 && begin <= extent && size <= extent - begin;
}

}  // namespace

void require_inside(const MatrixRectangle& r, const MatrixFacts& facts) {
  if (!fits(r.row, r.rows, facts.rows) || !fits(r.column, r.columns, facts.columns))
    throw std::out_of_range(fmt::format("rectangle ({}, {}) of {} x {} in a matrix of {} x {}", r.row,
                                        r.column, r.rows, r.columns, facts.rows, facts.columns));
}

void MatrixReader::read(const MatrixRectangle& rectangle, std::byte* to, std::int64_t ld) const {
  require_inside(rectangle, facts_);
  if (rectangle.rows > 0 && rectangle.columns > 0) read_inside(rectangle, to, ld);
}

std::optional<MappedRectangle> MatrixReader::mapped(const MatrixRectangle&) const {
  return std::nullopt;
}

std::int64_t MatrixReader::digest_blocks() const {
  return std::max<std::int64_t>(1, (content_bytes() + kDigestBlock_bytes - 1) / kDigestBlock_bytes);
}

std::uint64_t MatrixReader::block_digest(std::int64_t block) const {
  const std::int64_t begin = block * kDigestBlock_bytes;
  const std::int64_t size = std::min(kDigestBlock_bytes, content_bytes() - begin);
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  read_content(begin, bytes);
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::string MatrixReader::digest(std::span<const std::uint64_t> block_digests) const {
  // As text, so that the digest does not depend on the byte order.
  const std::string text = fmt::format("{}; {}; {:016x}", describe(facts_), content_order(),
                                       fmt::join(block_digests.begin(), block_digests.end(), " "));
  return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

std::string MatrixReader::digest() const {
  std::vector<std::uint64_t> blocks(static_cast<std::size_t>(digest_blocks()));
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = block_digest(static_cast<std::int64_t>(i));
  return digest(blocks);
}

namespace {

std::unique_ptr<MatrixReader> open_by_format(const MatrixPlace& place) {
  switch (place.format) {
    case MatrixFormat::npy:
      return open_npy(place);
    case MatrixFormat::hdf5:
      return open_hdf5(place);
    case MatrixFormat::matrix_market:
      return open_matrix_market(place);
  }
  throw std::logic_error("unknown matrix format");
}

}  // namespace

std::unique_ptr<MatrixReader> open_matrix(const MatrixPlace& place) {
  return with_page(HelpPage::wrong_file, [&] { return open_by_format(place); });
}

}  // namespace foretile
