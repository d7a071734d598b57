// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/text_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/one_line.hpp"

namespace foretile {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

}  // namespace

TextLine::TextLine(std::string_view text, std::string where, int number)
    : text_(text), where_(std::move(where)), number_(number) {}

int TextLine::column() {
  skip_blanks();
  return static_cast<int>(at_) + 1;
}

bool TextLine::at_end() {
  skip_blanks();
  return at_ == text_.size();
}

bool TextLine::next_is(std::string_view what) {
  skip_blanks();
  return text_.substr(at_).starts_with(what);
}

bool TextLine::take(std::string_view what) {
  if (!next_is(what)) return false;
  at_ += what.size();
  return true;
}

void TextLine::expect(std::string_view what) {
  if (!take(what)) throw wrong(fmt::format("\"{}\"", what));
}

std::string TextLine::name(const std::string& expected) {
  if (at_end() || !is_letter(text_[at_])) throw wrong(expected);
  const std::size_t begin = at_;
  const auto in_name = [](char c) { return is_letter(c) || is_digit(c) || c == '_'; };
  while (at_ < text_.size() && in_name(text_[at_])) ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

std::string TextLine::index(const std::string& expected) {
  if (at_end() || !is_letter(text_[at_])) throw wrong(expected);
  const std::size_t begin = at_++;
  while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}

bool TextLine::next_is_number() {
  return !at_end() && (is_digit(text_[at_]) || text_[at_] == '-' || text_[at_] == '.');
}

double TextLine::real() {
  skip_blanks();
  double value = 0;
  const char* const begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  const auto behind = static_cast<std::size_t>(end - text_.data());
  const bool ends = behind == text_.size() || is_blank(text_[behind]);
  if (error != std::errc() || !std::isfinite(value) || !ends) throw wrong("a number, as 1, -0.5 or 1e-3");
  at_ = behind;
  return value;
}

InputError TextLine::wrong(const std::string& expected) {
  skip_blanks();
  const std::string_view rest = text_.substr(at_);
  const std::size_t word = std::min(rest.find_first_of(" \t,|[]", 1), rest.size());
  return error(column(), rest.empty() ? "the end of the line" : quote(rest.substr(0, word)), expected);
}

InputError TextLine::error(int column, const std::string& found, const std::string& expected,
                           const std::string& change) const {
  return input_error(fmt::format("{}, column {}", where_, column), found, expected, change);
}

void TextLine::skip_blanks() {
  while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
}

}  // namespace foretile
