// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/shape_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <vector>

#include "apps/foretile/canvas.hpp"
#include "apps/foretile/shape_raster.hpp"
#include "apps/foretile/traits_view.hpp"
#include "apps/quantities.hpp"
#include "base/atomic_file.hpp"
#include "base/error.hpp"

namespace foretile {

namespace {

constexpr double longest_side = 720;  // of a panel, pixels
constexpr double shortest_side = 56;  // an index of few tiles is stretched to it
constexpr double largest_tile = 36;
constexpr double gap = 72;  // between panels, room for their captions
constexpr double margin = 56;
constexpr double notes_width = 330;  // of the corner above A that tells what is drawn
constexpr double notes_height = 250;
constexpr double gridded_tile = 5;  // from this size on, white lines part the tiles

constexpr Colour ink{0.13, 0.14, 0.18};
constexpr Colour faint_ink{0.40, 0.42, 0.47};
constexpr Colour white{1, 1, 1};
constexpr Colour empty{0.965, 0.968, 0.975};
constexpr Colour edge{0.55, 0.57, 0.62};

Colour mix(Colour from, Colour to, double part) {
  return {from.red + part * (to.red - from.red), from.green + part * (to.green - from.green),
          from.blue + part * (to.blue - from.blue)};
}

// From weak to strong; lightness falls evenly, so the order survives grey printing and colour blindness.
Colour norm_colour(double strength) {
  constexpr std::array<Colour, 5> stops = {
      {{0.80, 0.89, 0.91}, {0.47, 0.73, 0.80}, {0.20, 0.53, 0.70}, {0.14, 0.32, 0.58}, {0.12, 0.10, 0.36}}};
  const double at = std::clamp(strength, 0.0, 1.0) * (stops.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(at), stops.size() - 2);
  return mix(stops[below], stops[below + 1], at - static_cast<double>(below));
}

// Where tiles share a pixel, empty ones pale it, but never so far that a single tile is lost.
Colour cell_colour(const Cell& cell) {
  if (cell.coverage == 0) return empty;
  return mix(empty, norm_colour(cell.strength), 0.35 + 0.65 * cell.coverage);
}

// Pixels along M, N and K: one scale for all three.
struct Sides {
  double m = 0, n = 0, k = 0;
  double tile = 0;  ///< pixels of a tile that is not stretched
};

double side(const Tiling& tiling, double tile) {
  return std::max(shortest_side, std::round(tile * tiling.tiles()));
}

Sides sides_of(const Contraction& c) {
  const std::int32_t most = std::max({c.m.tiles(), c.n.tiles(), c.k.tiles()});
  const double tile = std::min(largest_tile, longest_side / most);
  return {side(c.m, tile), side(c.n, tile), side(c.k, tile), tile};
}

struct Panel {
  std::string_view title;
  const Shape& shape;
  double density;
  std::string_view row_index, column_index;
  const Tiling& rows;
  const Tiling& columns;
  double x, y, width, height;
};

void draw_tile_lines(Canvas& canvas, const Panel& panel) {
  const double column = panel.width / panel.shape.columns();
  const double row = panel.height / panel.shape.rows();
  if (std::min(column, row) < gridded_tile) return;
  for (std::int32_t j = 1; j < panel.shape.columns(); ++j) {
    canvas.rectangle(std::round(panel.x + j * column), panel.y, 1, panel.height, white);
  }
  for (std::int32_t i = 1; i < panel.shape.rows(); ++i) {
    canvas.rectangle(panel.x, std::round(panel.y + i * row), panel.width, 1, white);
  }
}

void draw_captions(Canvas& canvas, const Panel& panel) {
  canvas.text(panel.x, panel.y - 9, panel.title, 17, ink, Align::left, true);
  canvas.text(panel.x + 22, panel.y - 9,
              fmt::format("{} x {} tiles, density {}", grouped(panel.shape.rows()),
                          grouped(panel.shape.columns()), percent(panel.density)),
              12.5, faint_ink);
  canvas.text(panel.x + panel.width / 2, panel.y + panel.height + 19,
              fmt::format("{} = {}", panel.column_index, grouped(panel.columns.extent())), 12.5, ink,
              Align::centre);
  canvas.upward_text(panel.x - 10, panel.y + panel.height / 2,
                     fmt::format("{} = {}", panel.row_index, grouped(panel.rows.extent())), 12.5, ink);
}

// Twice the cells in an SVG, which may be magnified.
void draw_panel(Canvas& canvas, const Panel& panel, bool svg) {
  const double detail = svg ? 2 : 1;
  const Raster raster =
      rasterize(panel.shape, norm_scale(panel.shape), static_cast<std::int32_t>(detail * panel.height),
                static_cast<std::int32_t>(detail * panel.width));
  std::vector<Colour> colours(raster.cells.size());
  std::transform(raster.cells.begin(), raster.cells.end(), colours.begin(), cell_colour);
  canvas.image(panel.x, panel.y, panel.width, panel.height, raster.width, raster.height, colours);
  draw_tile_lines(canvas, panel);
  canvas.frame(panel.x, panel.y, panel.width, panel.height, edge);
  draw_captions(canvas, panel);
}

// "log scale, decades: A 4, B 5, C 6"; empty where no norms differ.
std::string decades_note(const std::vector<Panel>& panels) {
  std::string text;
  for (const Panel& panel : panels) {
    const NormScale scale = norm_scale(panel.shape);
    if (scale.flat) continue;
    text +=
        fmt::format("{}{} {:.0f}", text.empty() ? "log scale, decades: " : ", ", panel.title, scale.decades);
  }
  return text;
}

// Returns the height it took.
double draw_norm_bar(Canvas& canvas, double x, double y, std::string_view decades) {
  constexpr int steps = 110;
  constexpr double step_width = 2;
  constexpr double height = 13;
  for (int step = 0; step < steps; ++step) {
    canvas.rectangle(x + step * step_width, y, step_width, height, norm_colour(step / (steps - 1.0)));
  }
  canvas.text(x, y + 28, "weakest", 12, faint_ink);
  canvas.text(x + steps * step_width, y + 28, "strongest tile of its matrix", 12, faint_ink, Align::right);
  canvas.text(x, y + 44, decades, 12, faint_ink);
  return 56;
}

void draw_swatch(Canvas& canvas, double x, double y, Colour colour, std::string_view meaning) {
  constexpr double size = 13;
  canvas.rectangle(x, y, size, size, colour);
  canvas.frame(x, y, size, size, edge);
  canvas.text(x + size + 8, y + 11, meaning, 12.5, ink);
}

void draw_legend(Canvas& canvas, double x, double y, const std::vector<Panel>& panels) {
  const std::string decades = decades_note(panels);
  if (!decades.empty()) y += draw_norm_bar(canvas, x, y, decades);
  if (std::any_of(panels.begin(), panels.end(), [](const Panel& p) { return norm_scale(p.shape).flat; })) {
    draw_swatch(canvas, x, y, norm_colour(NormScale::flat_strength),
                "tile of a matrix whose norms are alike");
    y += 22;
  }
  draw_swatch(canvas, x, y, empty, "no tile");
}

std::string stretched(const Contraction& c, const Sides& sides) {
  std::string text;
  const auto note = [&](std::string_view name, const Tiling& tiling, double length) {
    const double factor = length / (sides.tile * tiling.tiles());
    if (factor > 1.05) text += fmt::format("{}{} {:.1f}x", text.empty() ? "stretched: " : ", ", name, factor);
  };
  note("M", c.m, sides.m);
  note("N", c.n, sides.n);
  note("K", c.k, sides.k);
  return text;
}

void draw_notes(Canvas& canvas, double x, double y, const Contraction& c, const Traits& t, const Sides& sides,
                const std::vector<Panel>& panels) {
  canvas.text(x, y + 16, c.name, 20, ink, Align::left, true);
  canvas.text(x, y + 40, equation(c) + ", nonzero tiles", 13.5, ink);
  canvas.text(x, y + 66, fmt::format("{} in {} GEMMs", quantity(t.flops, "flop"), grouped(t.gemms)), 13.5,
              ink);
  canvas.text(x, y + 86, fmt::format("{:.3g} flop per byte", t.intensity), 13.5, ink);
  canvas.text(x, y + 112, "each tile drawn the same size", 12, faint_ink);
  canvas.text(x, y + 128, stretched(c, sides), 12, faint_ink);
  draw_legend(canvas, x, y + 146, panels);
}

std::string draw(const Contraction& c, bool svg) {
  const Traits t = traits(c);
  const Sides sides = sides_of(c);
  const double left = margin + std::max(sides.k, notes_width);
  const double top = margin + std::max(sides.k, notes_height);
  const double right = left + gap;
  const double below = top + gap;
  const std::vector<Panel> panels = {
      {"A", c.a, t.a_density, "M", "K", c.m, c.k, left - sides.k, below, sides.k, sides.m},
      {"B", c.b, t.b_density, "K", "N", c.k, c.n, right, top - sides.k, sides.n, sides.k},
      {"C", c.c, t.c_density, "M", "N", c.m, c.n, right, below, sides.n, sides.m},
  };
  // Captions may be wider than a narrow panel.
  const double width = right + std::max(sides.n, 250.0) + margin / 2;
  Canvas canvas(width, below + sides.m + margin, svg);
  draw_notes(canvas, margin, margin, c, t, sides, panels);
  for (const Panel& panel : panels) draw_panel(canvas, panel, svg);
  return canvas.finish();
}

bool is_svg(const std::string& path) {
  return std::filesystem::path(path).extension() == ".svg";
}

}  // namespace

void check_picture_path(const std::string& path, std::string_view option) {
  const std::string ending = std::filesystem::path(path).extension();
  if (ending == ".png" || ending == ".svg") return;
  throw input_error(option, fmt::format("'{}'", path), "a name that ends in .png or .svg");
}

void draw_shapes(const Contraction& contraction, const std::string& path) {
  check_picture_path(path);
  const std::string bytes = draw(contraction, is_svg(path));
  write_atomically(path, [&](std::ostream& out) { out << bytes; });
}

}  // namespace foretile
