// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/canvas.hpp"

#include <cairo-svg.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/error.hpp"

namespace foretile {

namespace {

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

cairo_surface_t* make_surface(std::string& bytes, double width, double height, bool svg) {
  if (svg) return cairo_svg_surface_create_for_stream(append, &bytes, width, height);
  return cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(width)),
                                    static_cast<int>(std::ceil(height)));
}

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw WorkError(fmt::format("the picture could not be drawn: {}", cairo_status_to_string(status)));
}

std::uint32_t packed(Colour colour) {
  const auto byte = [](double part) { return static_cast<std::uint32_t>(std::lround(255 * part)); };
  return byte(colour.red) << 16U | byte(colour.green) << 8U | byte(colour.blue);
}

std::int32_t repeats(std::int32_t cells, double length) {
  return static_cast<std::int32_t>(std::ceil(3 * length / cells));
}

}  // namespace

Canvas::Canvas(double width, double height, bool svg)
    : svg_(svg), surface_(make_surface(bytes_, width, height, svg)), context_(cairo_create(surface_.get())) {
  check(cairo_surface_status(surface_.get()));
  rectangle(0, 0, width, height, {1, 1, 1});
}

void Canvas::rectangle(double x, double y, double width, double height, Colour colour) {
  cairo_set_source_rgb(context_.get(), colour.red, colour.green, colour.blue);
  cairo_rectangle(context_.get(), x, y, width, height);
  cairo_fill(context_.get());
}

void Canvas::frame(double x, double y, double width, double height, Colour colour) {
  cairo_set_source_rgb(context_.get(), colour.red, colour.green, colour.blue);
  cairo_set_line_width(context_.get(), 1);
  // Half a pixel out: the line is on whole pixels and covers no cell.
  cairo_rectangle(context_.get(), x - 0.5, y - 0.5, width + 1, height + 1);
  cairo_stroke(context_.get());
}

void Canvas::line(const std::vector<PicturePoint>& points, double width, Colour colour) {
  cairo_set_source_rgb(context_.get(), colour.red, colour.green, colour.blue);
  cairo_set_line_width(context_.get(), width);
  cairo_new_path(context_.get());  // texts leave a current point
  for (const PicturePoint& point : points) cairo_line_to(context_.get(), point.x, point.y);
  cairo_stroke(context_.get());
}

void Canvas::text(double x, double y, std::string_view text, double size, Colour colour, Align align,
                  bool bold) {
  const std::string line(text);
  cairo_select_font_face(context_.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(context_.get(), size);
  cairo_text_extents_t extents;
  cairo_text_extents(context_.get(), line.c_str(), &extents);
  const double shift = align == Align::left ? 0 : align == Align::centre ? 0.5 : 1;
  cairo_set_source_rgb(context_.get(), colour.red, colour.green, colour.blue);
  cairo_move_to(context_.get(), x - shift * extents.x_advance, y);
  cairo_show_text(context_.get(), line.c_str());
}

void Canvas::upward_text(double x, double y, std::string_view line, double size, Colour colour) {
  cairo_save(context_.get());
  cairo_translate(context_.get(), x, y);
  cairo_rotate(context_.get(), -std::numbers::pi / 2);
  text(0, 0, line, size, colour, Align::centre);
  cairo_restore(context_.get());
}

void Canvas::image(double x, double y, double width, double height, std::int32_t columns, std::int32_t rows,
                   const std::vector<Colour>& cells) {
  // SVG viewers blur what they magnify and cairo cannot ask them not to: hand them cells of many pixels.
  const std::int32_t across = svg_ ? repeats(columns, width) : 1;
  const std::int32_t down = svg_ ? repeats(rows, height) : 1;
  const std::unique_ptr<cairo_surface_t, Release> pixels(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, columns * across, rows * down));
  check(cairo_surface_status(pixels.get()));
  cairo_surface_flush(pixels.get());
  unsigned char* data = cairo_image_surface_get_data(pixels.get());
  const std::int64_t stride = cairo_image_surface_get_stride(pixels.get());
  for (std::int64_t row = 0; row < std::int64_t{rows} * down; ++row) {
    auto* line = reinterpret_cast<std::uint32_t*>(data + row * stride);
    const Colour* source = cells.data() + row / down * columns;
    for (std::int64_t column = 0; column < columns; ++column) {
      std::fill_n(line + column * across, across, packed(source[column]));
    }
  }
  cairo_surface_mark_dirty(pixels.get());
  cairo_save(context_.get());
  cairo_translate(context_.get(), x, y);
  cairo_scale(context_.get(), width / (columns * across), height / (rows * down));
  cairo_set_source_surface(context_.get(), pixels.get(), 0, 0);
  cairo_pattern_set_filter(cairo_get_source(context_.get()), CAIRO_FILTER_NEAREST);
  cairo_rectangle(context_.get(), 0, 0, columns * across, rows * down);
  cairo_fill(context_.get());
  cairo_restore(context_.get());
}

std::string Canvas::finish() {
  check(cairo_status(context_.get()));
  if (svg_) {
    cairo_surface_finish(surface_.get());
    check(cairo_surface_status(surface_.get()));
  } else {
    check(cairo_surface_write_to_png_stream(surface_.get(), append, &bytes_));
  }
  return std::move(bytes_);
}

}  // namespace foretile
