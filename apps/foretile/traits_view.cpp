// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/traits_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "apps/quantities.hpp"
#include "planner/problem/kinds/product_keys.hpp"

namespace foretile {

namespace {

using Cells = std::vector<std::string>;

/// Negative widths: of words, to the left. Columns of numbers are wider where two spaces would not be left.
std::string table(std::vector<int> widths, const std::vector<Cells>& rows) {
  for (const Cells& cells : rows) {
    for (std::size_t column = 0; column < cells.size(); ++column) {
      if (widths[column] > 0)
        widths[column] = std::max(widths[column], static_cast<int>(cells[column].size()) + 2);
    }
  }
  std::string text;
  for (const Cells& cells : rows) {
    text += "  ";
    for (std::size_t column = 0; column < cells.size(); ++column) {
      const int width = widths[column];
      text += width < 0 ? fmt::format("{:<{}}", cells[column], -width)
                        : fmt::format("{:>{}}", cells[column], width);
    }
    text += '\n';
  }
  return text;
}

Cells index_cells(std::string_view name, const Tiling& tiling) {
  std::int64_t smallest = tiling.extent();
  for (std::int32_t tile = 0; tile < tiling.tiles(); ++tile) smallest = std::min(smallest, tiling.size(tile));
  return {std::string(name),
          grouped(tiling.extent()),
          grouped(tiling.tiles()),
          grouped(smallest),
          fmt::format("{:.0f}", static_cast<double>(tiling.extent()) / tiling.tiles()),
          grouped(tiling.largest())};
}

Cells matrix_cells(std::string_view name, std::string_view role, const Shape& shape, double density,
                   std::int64_t bytes) {
  return {std::string(name),         std::string(role), fmt::format("{} x {}", shape.rows(), shape.columns()),
          grouped(shape.nonzeros()), percent(density),  quantity(static_cast<double>(bytes), "B")};
}

/// "2 " or "(1 - 2i) "; nothing for 1.
std::string factor(std::complex<double> x) {
  if (x == 1.0) return {};
  if (x.imag() == 0) return fmt::format("{} ", x.real());
  return fmt::format("({} {} {}i) ", x.real(), x.imag() < 0 ? '-' : '+', std::abs(x.imag()));
}

std::string operand(std::string_view name, Op op) {
  return fmt::format("{}{}", name, op == Op::none ? "" : op == Op::transpose ? "^T" : "^H");
}

std::string elements_text(ElementType type) {
  if (type == ElementType{}) return {};
  return fmt::format(", {}{} precision", type.is_complex ? "complex numbers in " : "in ",
                     name_of(type.precision));
}

nlohmann::ordered_json factor_json(std::complex<double> x) {
  if (x.imag() == 0) return x.real();
  return {x.real(), x.imag()};
}

}  // namespace

std::string equation(const Contraction& p) {
  const std::string product =
      fmt::format("{}{} {}", factor(p.alpha), operand("A", p.a_op), operand("B", p.b_op));
  if (!p.reads_c()) return "C = " + product;
  if (p.beta == 1.0) return "C += " + product;
  return fmt::format("C = {} + {}C", product, factor(p.beta));
}

std::string traits_text(const Contraction& contraction) {
  const Traits t = traits(contraction);
  std::string text;
  const auto line = [&text](std::string_view label, std::string_view value) {
    fmt::format_to(std::back_inserter(text), "  {:<19}{}\n", label, value);
  };
  text += fmt::format("{}: {}{}\n", contraction.name, equation(contraction),
                      elements_text(contraction.element()));
  line("M x N x K", fmt::format("{} x {} x {}", t.m, t.n, t.k));
  line("flops", quantity(t.flops, "flop"));
  line("GEMM tasks", grouped(t.gemms));
  line("intensity", fmt::format("{:.3g} flop per byte of A, B and C", t.intensity));
  text += "\n" +
          table({-6, 13, 9, 15, 9, 9}, {{"index", "extent", "tiles", "smallest tile", "average", "largest"},
                                        index_cells("M", contraction.m),
                                        index_cells("N", contraction.n),
                                        index_cells("K", contraction.k)});
  text +=
      "\n" + table({-6, -13, 17, 15, 9, 11},
                   {{"matrix", "", "tiles", "nonzero tiles", "density", "size"},
                    matrix_cells("A", name_of(contraction.sources.a), contraction.a, t.a_density, t.a_bytes),
                    matrix_cells("B", name_of(contraction.sources.b), contraction.b, t.b_density, t.b_bytes),
                    matrix_cells("C", contraction.reads_c() ? "accumulated" : "computed", contraction.c,
                                 t.c_density, t.c_bytes)});
  return text;
}

nlohmann::ordered_json traits_json(const Contraction& contraction) {
  const Traits t = traits(contraction);
  return {
      {"name", contraction.name},
      {"accumulate", contraction.reads_c()},
      {"precision", name_of(contraction.precision)},
      {"complex", contraction.complex_elements},
      {"a_op", name_of(contraction.a_op)},
      {"b_op", name_of(contraction.b_op)},
      {"alpha", factor_json(contraction.alpha)},
      {"beta", factor_json(contraction.beta)},
      {"sources", {{"A", name_of(contraction.sources.a)}, {"B", name_of(contraction.sources.b)}}},
      {"M", t.m},
      {"N", t.n},
      {"K", t.k},
      {"flops", t.flops},
      {"gemms", t.gemms},
      {"intensity", t.intensity},
      {"density", {{"A", t.a_density}, {"B", t.b_density}, {"C", t.c_density}}},
      {"tiles", {{"M", t.m_tiles}, {"N", t.n_tiles}, {"K", t.k_tiles}}},
      {"nonzero_tiles",
       {{"A", contraction.a.nonzeros()}, {"B", contraction.b.nonzeros()}, {"C", contraction.c.nonzeros()}}},
      {"bytes", {{"A", t.a_bytes}, {"B", t.b_bytes}, {"C", t.c_bytes}}},
  };
}

}  // namespace foretile
