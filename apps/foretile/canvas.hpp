// SPDX-License-Identifier: BSD-3-Clause
// A page to draw on, PNG or SVG; the only file that knows which. Wraps cairo.
#pragma once

#include <cairo.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace foretile {

struct Colour {
  double red = 0, green = 0, blue = 0;
};

struct PicturePoint {
  double x = 0, y = 0;
};

enum class Align { left, centre, right };

/// Lengths are in pixels of the PNG, or units of the SVG; y grows downwards.
class Canvas {
 public:
  /// `svg`: a vector picture, else pixels. White at first.
  Canvas(double width, double height, bool svg);

  void rectangle(double x, double y, double width, double height, Colour colour);
  void frame(double x, double y, double width, double height, Colour colour);
  /// From point to point.
  void line(const std::vector<PicturePoint>& points, double width, Colour colour);
  void text(double x, double y, std::string_view text, double size, Colour colour, Align align = Align::left,
            bool bold = false);
  /// The same, read from bottom to top; `y` is the middle of the text.
  void upward_text(double x, double y, std::string_view text, double size, Colour colour);
  /// Cells row by row, scaled to the rectangle.
  void image(double x, double y, double width, double height, std::int32_t columns, std::int32_t rows,
             const std::vector<Colour>& cells);

  /// The finished picture file's bytes. Draw nothing after it.
  std::string finish();

 private:
  struct Release {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_t* context) const { cairo_destroy(context); }
  };

  bool svg_;
  std::string bytes_;
  std::unique_ptr<cairo_surface_t, Release> surface_;
  std::unique_ptr<cairo_t, Release> context_;
};

}  // namespace foretile
