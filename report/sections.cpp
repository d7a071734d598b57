// SPDX-License-Identifier: BSD-3-Clause
#include "report/sections.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <bit>
#include <boost/archive/iterators/base64_from_binary.hpp>
#include <boost/archive/iterators/transform_width.hpp>
#include <new>
#include <stdexcept>
#include <string>

namespace foretile {

namespace {

static_assert(std::endian::native == std::endian::little, "the page reads numbers as they are in memory");

constexpr std::size_t kFullSection = std::size_t{512} << 10;
constexpr std::size_t kAlignment = 8;  // of the widest number

std::string compressed(std::span<const std::byte> bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string packed(size, '\0');
  const int status =
      compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                static_cast<uLong>(bytes.size()), Z_DEFAULT_COMPRESSION);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  if (status != Z_OK) throw std::logic_error(fmt::format("compress2: {}", status));
  packed.resize(size);
  return packed;
}

std::string base64(const std::string& bytes) {
  using namespace boost::archive::iterators;
  using Digits = base64_from_binary<transform_width<std::string::const_iterator, 6, 8>>;
  std::string text;
  text.reserve(bytes.size() / 3 * 4 + 4);
  text.append(Digits(bytes.begin()), Digits(bytes.end()));
  text.append((3 - bytes.size() % 3) % 3, '=');
  return text;
}

}  // namespace

Sections::Sections() : sections_(2) {}

nlohmann::ordered_json Sections::described(std::span<const std::byte> bytes, std::string_view type,
                                           std::size_t count) {
  std::vector<std::byte>& first = sections_.front();
  first.resize((first.size() + kAlignment - 1) / kAlignment * kAlignment);
  const std::size_t offset = first.size();
  first.insert(first.end(), bytes.begin(), bytes.end());
  return {{"section", 0}, {"offset", offset}, {"type", type}, {"count", count}};
}

Sections::Place Sections::add_block(std::span<const std::byte> bytes) {
  if (sections_.back().size() >= kFullSection) sections_.emplace_back();
  std::vector<std::byte>& last = sections_.back();
  const Place place{static_cast<int>(sections_.size()) - 1, std::ssize(last)};
  last.insert(last.end(), bytes.begin(), bytes.end());
  return place;
}

void Sections::write(std::ostream& out) const {
  for (std::size_t section = 0; section < sections_.size(); ++section) {
    out << fmt::format("<script type=\"application/octet-stream\" id=\"section-{}\">", section)
        << base64(compressed(sections_[section])) << "</script>\n";
  }
}

}  // namespace foretile
