// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/matrix_files/flat_reader.hpp"
#include "base/words.hpp"

namespace foretile {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLongestHeader = std::size_t{1} << 20;

/// What the dictionary of the header may hold, as Python writes it.
struct Dictionary {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::int64_t>> shape;
};

/// Reads the Python literal of the header, which has texts, truth values and one tuple of whole numbers.
class LiteralReader {
 public:
  LiteralReader(std::string_view text, std::string_view name) : text_(text), name_(name) {}

  Dictionary dictionary() {
    Dictionary all;
    expect('{');
    while (!take('}')) {
      const std::string key = text();
      expect(':');
      read_value(key, all);
      if (!take(',') && !next_is('}')) fail();
    }
    return all;
  }

 private:
  [[noreturn]] void fail() const {
    throw input_error(name_, fmt::format("the header '{}'", text_.substr(std::min(at_, text_.size()), 60)),
                      "a dictionary with descr, fortran_order and shape, as numpy.save() writes it",
                      "write the file again with numpy.save()");
  }

  void read_value(const std::string& key, Dictionary& all) {
    if (key == "descr" && !all.descr) {
      all.descr = next_is('[') ? structure() : text();
    } else if (key == "fortran_order" && !all.fortran_order) {
      all.fortran_order = truth();
    } else if (key == "shape" && !all.shape) {
      all.shape = tuple();
    } else {
      fail();
    }
  }

  void skip_spaces() { at_ = std::min(text_.find_first_not_of(" \n\t", at_), text_.size()); }

  bool next_is(char c) {
    skip_spaces();
    return at_ < text_.size() && text_[at_] == c;
  }

  bool take(char c) {
    const bool there = next_is(c);
    if (there) ++at_;
    return there;
  }

  void expect(char c) {
    if (!take(c)) fail();
  }

  bool take_word(std::string_view word) {
    skip_spaces();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  std::string text() {
    const char mark = next_is('"') ? '"' : '\'';
    expect(mark);
    const std::size_t end = text_.find(mark, at_);
    if (end == std::string_view::npos) fail();
    std::string value(text_.substr(at_, end - at_));
    at_ = end + 1;
    return value;
  }

  bool truth() {
    if (take_word("True")) return true;
    if (!take_word("False")) fail();
    return false;
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> numbers;
    expect('(');
    while (!take(')')) {
      skip_spaces();
      const std::size_t end = std::min(text_.find_first_of(",)L \n", at_), text_.size());
      const auto value = number<std::int64_t>(text_.substr(at_, end - at_));
      if (!value || *value < 0) fail();
      numbers.push_back(*value);
      at_ = end;
      take('L');  // of Python 2
      if (!take(',') && !next_is(')')) fail();
    }
    return numbers;
  }

  /// Of a structured type, which is not read; brackets in its names would end it too early, with an error.
  std::string structure() {
    int depth = 0;
    do {
      if (at_ >= text_.size()) fail();
      depth += text_[at_] == '[' ? 1 : text_[at_] == ']' ? -1 : 0;
      ++at_;
    } while (depth > 0);
    return "of a structure";
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t at_ = 0;
};

constexpr std::pair<std::string_view, ElementType> kTypes[] = {{"<f8", {Precision::f64, false}},
                                                               {"<f4", {Precision::f32, false}},
                                                               {"<c16", {Precision::f64, true}},
                                                               {"<c8", {Precision::f32, true}}};

ElementType element_of(const std::string& descr, std::string_view name) {
  for (const auto& [text, type] : kTypes) {
    if (descr == text) return type;
  }
  throw input_error(name, fmt::format("numbers of dtype {}", descr), "<f4, <f8, <c8 or <c16",
                    "convert it: numpy.save(FILE, array.astype('<f8'))");
}

std::string_view descr_of(ElementType element) {
  for (const auto& [text, type] : kTypes) {
    if (element == type) return text;
  }
  return {};
}

MatrixFacts facts_of(const Dictionary& all, std::string_view name) {
  if (!all.descr || !all.fortran_order || !all.shape)
    throw input_error(name, "a header without all keys", "descr, fortran_order and shape",
                      "write the file again with numpy.save()");
  const ElementType element = element_of(*all.descr, name);
  if (all.shape->size() != 2)
    throw input_error(name, fmt::format("an array of {} dimensions", all.shape->size()), "2: a matrix",
                      "give a vector a second dimension with array.reshape(-1, 1)");
  return dense_facts(name, (*all.shape)[0], (*all.shape)[1], element,
                     *all.fortran_order ? MatrixLayout::column_major : MatrixLayout::row_major);
}

std::size_t little_endian(std::string_view bytes) {
  std::size_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Of the magic text, the version and the header's length: 10, or 12 from version 2 on.
std::size_t prefix_bytes(std::string_view start, std::string_view name) {
  if (start.size() < 12 || !start.starts_with(kMagic))
    throw input_error(name, "no .npy file", "a file that begins as numpy.save() writes it",
                      "write the file again with numpy.save()");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3)
    throw input_error(name, fmt::format("version {} of the .npy format", version), "1, 2 or 3",
                      "write the file again with numpy.save()");
  return version == 1 ? 10 : 12;
}

}  // namespace

NpyHeader parse_npy_header(std::string_view start, std::string_view name) {
  const std::size_t prefix = prefix_bytes(start, name);
  const std::size_t length = little_endian(start.substr(8, prefix - 8));
  if (length > std::min(kLongestHeader, start.size() - prefix))
    throw input_error(name, fmt::format("a header of {} bytes", length),
                      fmt::format("at most {}", std::min(kLongestHeader, start.size() - prefix)),
                      "is the file whole?");
  const Dictionary all = LiteralReader(start.substr(prefix, length), name).dictionary();
  return {facts_of(all, name), static_cast<std::int64_t>(prefix + length)};
}

std::string npy_header(const MatrixFacts& facts) {
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': ({}, {}), }}", descr_of(facts.element),
                  facts.layout == MatrixLayout::column_major ? "True" : "False", facts.rows, facts.columns);
  constexpr std::size_t prefix = 10, aligned = 64;
  text.append(aligned - 1 - (prefix + text.size()) % aligned, ' ');
  text += '\n';
  std::string header(kMagic);
  header += {'\1', '\0', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)};
  return header + text;
}

std::unique_ptr<MatrixReader> open_npy(const MatrixPlace& place) {
  auto file = std::make_unique<InputFile>(place.file.string());
  std::string start(static_cast<std::size_t>(std::min<std::int64_t>(
                        file->bytes(), static_cast<std::int64_t>(kLongestHeader) + 12)),
                    '\0');
  file->read(0, std::ssize(start), reinterpret_cast<std::byte*>(start.data()));
  NpyHeader header = parse_npy_header(start, file->path());
  return std::make_unique<FlatReader>(place.file.string(), std::move(file), header.bytes,
                                      std::move(header.facts));
}

}  // namespace foretile
