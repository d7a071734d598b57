#include "apps/foretile/traits_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "apps/quantities.hpp"

namespace foretile {

namespace {

std::string index_line(std::string_view name, const Tiling& tiling) {
  std::int64_t smallest = tiling.extent();
  for (std::int32_t tile = 0; tile < tiling.tiles(); ++tile) smallest = std::min(smallest, tiling.size(tile));
  return fmt::format("  {:<6}{:>13}{:>9}{:>15}{:>9.0f}{:>9}\n", name, grouped(tiling.extent()),
                     grouped(tiling.tiles()), grouped(smallest),
                     static_cast<double>(tiling.extent()) / tiling.tiles(), grouped(tiling.largest()));
}

std::string matrix_line(std::string_view name, std::string_view role, const Shape& shape, double density,
                        std::int64_t bytes) {
  return fmt::format("  {:<6}{:<13}{:>17}{:>15}{:>9}{:>11}\n", name, role,
                     fmt::format("{} x {}", shape.rows(), shape.columns()), grouped(shape.nonzeros()),
                     percent(density), quantity(static_cast<double>(bytes), "B"));
}

}  // namespace

std::string equation(const Contraction& contraction) {
  return contraction.reads_c() ? "C += A B" : "C = A B";
}

std::string traits_text(const Contraction& contraction) {
  const Traits t = traits(contraction);
  std::string text;
  const auto line = [&text](std::string_view label, std::string_view value) {
    fmt::format_to(std::back_inserter(text), "  {:<19}{}\n", label, value);
  };
  text += fmt::format("{}: {}{}\n", contraction.name, equation(contraction),
                      contraction.precision == Precision::f64 ? "" : ", in single precision");
  line("M x N x K", fmt::format("{} x {} x {}", t.m, t.n, t.k));
  line("flops", quantity(t.flops, "flop"));
  line("GEMM tasks", grouped(t.gemms));
  line("intensity", fmt::format("{:.3g} flop per byte of A, B and C", t.intensity));
  text += fmt::format("\n  {:<6}{:>13}{:>9}{:>15}{:>9}{:>9}\n", "index", "extent", "tiles", "smallest tile",
                      "average", "largest");
  text += index_line("M", contraction.m) + index_line("N", contraction.n) + index_line("K", contraction.k);
  text += fmt::format("\n  {:<6}{:<13}{:>17}{:>15}{:>9}{:>11}\n", "matrix", "", "tiles", "nonzero tiles",
                      "density", "size");
  text += matrix_line("A", name_of(contraction.sources.a), contraction.a, t.a_density, t.a_bytes);
  text += matrix_line("B", name_of(contraction.sources.b), contraction.b, t.b_density, t.b_bytes);
  text += matrix_line("C", contraction.reads_c() ? "accumulated" : "computed", contraction.c, t.c_density,
                      t.c_bytes);
  return text;
}

nlohmann::ordered_json traits_json(const Contraction& contraction) {
  const Traits t = traits(contraction);
  return {
      {"name", contraction.name},
      {"accumulate", contraction.reads_c()},
      {"precision", name_of(contraction.precision)},
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
