// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/product_keys.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/one_line.hpp"
#include "base/words.hpp"
#include "planner/problem/kinds/table_reader.hpp"

namespace foretile {

namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

Precision read_precision(TableReader& table) {
  const std::string text = table.text_or("precision", name_of(Precision::f64));
  for (const Precision precision : {Precision::f64, Precision::f32}) {
    if (text == name_of(precision)) return precision;
  }
  throw table.error("precision", fmt::format("\"{}\"", text), "\"double\" or \"single\"");
}

std::optional<Source> read_source(TableReader& table, std::string_view key) {
  if (!table.has(key)) return {};
  const std::string text = table.text(key);
  for (const Source source : {Source::given, Source::generated}) {
    if (text == name_of(source)) return source;
  }
  if (text == kFormerGenerated) return Source::generated;
  throw table.error(key, fmt::format("\"{}\"", text), "\"given\" or \"generated\"");
}

Op read_op(TableReader& table, std::string_view key) {
  const std::string text = table.text_or(key, name_of(Op::none));
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    if (text == name_of(op)) return op;
  }
  throw table.error(key, fmt::format("\"{}\"", text), "\"N\", \"T\" or \"C\"");
}

/// A number, or [re, im] where elements are complex.
std::optional<std::complex<double>> read_factor(TableReader& table, std::string_view key, ElementType type) {
  if (!table.has(key)) return {};
  if (!table.is_list(key)) return table.real(key, -kLargest, kLargest);
  if (!type.is_complex)
    throw table.error(key, "a list", "a number", "a problem of complex numbers says complex = true");
  const std::array<double, 2> parts = table.pair(key, -kLargest, kLargest);
  return std::complex<double>{parts[0], parts[1]};
}

std::string factor_toml(std::string_view key, std::complex<double> x) {
  if (x.imag() == 0) return fmt::format("{} = {}\n", key, x.real());
  return fmt::format("{} = [{}, {}]\n", key, x.real(), x.imag());
}

std::string text_toml(std::string_view key, std::string_view value) {
  return fmt::format("{} = \"{}\"\n", key, value);
}

}  // namespace

std::string_view name_of(Op op) {
  return op == Op::none ? "N" : op == Op::transpose ? "T" : "C";
}

ProductKeys read_product_keys(TableReader& table) {
  ProductKeys keys;
  keys.element = {read_precision(table), table.boolean_or("complex", false)};
  keys.a_source = read_source(table, "a_source");
  keys.b_source = read_source(table, "b_source");
  keys.a_op = read_op(table, "a_op");
  keys.b_op = read_op(table, "b_op");
  keys.alpha = read_factor(table, "alpha", keys.element).value_or(1);
  keys.beta = read_factor(table, "beta", keys.element);
  return keys;
}

std::string product_keys_toml(const ProductKeys& keys) {
  std::string text;
  if (keys.a_source) text += text_toml("a_source", name_of(*keys.a_source));
  if (keys.b_source) text += text_toml("b_source", name_of(*keys.b_source));
  if (keys.element.precision != Precision::f64)
    text += text_toml("precision", name_of(keys.element.precision));
  if (keys.element.is_complex) text += "complex = true\n";
  if (keys.a_op != Op::none) text += text_toml("a_op", name_of(keys.a_op));
  if (keys.b_op != Op::none) text += text_toml("b_op", name_of(keys.b_op));
  if (keys.alpha != 1.0) text += factor_toml("alpha", keys.alpha);
  if (keys.beta) text += factor_toml("beta", *keys.beta);
  return text;
}

void apply_product_keys(const TableReader& table, const ProductKeys& keys, Contraction& contraction) {
  const bool accumulates = contraction.reads_c();
  if (accumulates && keys.beta && *keys.beta != 1.0)
    throw table.error("beta", fmt::format("{} beside accumulate = true", table.value_text("beta")),
                      "1, or no accumulate", "leave accumulate out");
  contraction.precision = keys.element.precision;
  contraction.complex_elements = keys.element.is_complex;
  contraction.sources = {keys.a_source.value_or(contraction.sources.a),
                         keys.b_source.value_or(contraction.sources.b)};
  contraction.a_op = keys.a_op;
  contraction.b_op = keys.b_op;
  contraction.alpha = keys.alpha;
  contraction.beta = keys.beta.value_or(contraction.beta);
}

std::complex<double> complex_number(std::string_view option, std::string_view text) {
  const std::size_t comma = text.find(',');
  const auto part = [](std::string_view word) {
    const auto value = number<double>(word);
    return value && std::isfinite(*value) ? value : std::nullopt;
  };
  const auto re = part(text.substr(0, comma));
  const auto im = comma == std::string_view::npos ? std::optional(0.0) : part(text.substr(comma + 1));
  if (!re || !im)
    throw input_error(std::string(option), quote(std::string(text)), "a number, or two with a comma: RE,IM",
                      "for example 0.5, or 0.5,-2 for 0.5 - 2i");
  return {*re, *im};
}

}  // namespace foretile
