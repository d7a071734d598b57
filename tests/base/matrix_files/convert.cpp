// SPDX-License-Identifier: BSD-3-Clause
// convert IN OUT: copies a matrix from one format to another in parts of two writers. exchange_test.py runs
// it.
#include <cstdio>
#include <vector>

#include "base/error.hpp"
#include "base/matrix_files/matrix_reader.hpp"
#include "base/matrix_files/matrix_writer.hpp"
#include "base/matrix_files/tile_cuts.hpp"

namespace foretile {
namespace {

std::vector<std::int64_t> parts_of(std::int64_t extent) {
  constexpr std::int64_t part = 37;
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(extent / part), part);
  if (extent % part != 0) sizes.push_back(extent % part);
  return sizes;
}

std::vector<MatrixRectangle> rectangles(const MatrixFacts& facts) {
  const bool sparse = facts.layout == MatrixLayout::block_sparse;
  const auto row_sizes = sparse ? facts.row_tiles : parts_of(facts.rows);
  const auto column_sizes = sparse ? facts.column_tiles : parts_of(facts.columns);
  const auto rows = cuts_of(row_sizes), columns = cuts_of(column_sizes);
  std::vector<MatrixRectangle> all;
  const auto add = [&](std::size_t i, std::size_t j) {
    all.push_back({rows[i], columns[j], row_sizes[i], column_sizes[j]});
  };
  for (const auto& [i, j] : facts.tiles) add(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  for (std::size_t i = 0; !sparse && i < row_sizes.size(); ++i)
    for (std::size_t j = 0; j < column_sizes.size(); ++j) add(i, j);
  return all;
}

void convert(const MatrixPlace& from, const MatrixPlace& to) {
  const auto reader = open_matrix(from);
  const MatrixFacts& in = reader->facts();
  const MatrixFacts out = in.layout == MatrixLayout::block_sparse && to.format == MatrixFormat::hdf5
                              ? in
                              : dense_output(to, in.rows, in.columns, in.element);
  MatrixOutput output(to, out, true);
  MatrixWriter writers[] = {{output.ticket(), out}, {output.ticket(), out}};
  std::size_t turn = 0;
  for (const MatrixRectangle& r : rectangles(out)) {
    const std::int64_t ld = r.rows + 3;
    std::vector<std::byte> numbers(static_cast<std::size_t>(ld * r.columns * out.element.bytes()));
    reader->read(r, numbers.data(), ld);
    writers[turn++ % 2].write(r, numbers.data(), ld);
  }
  for (MatrixWriter& writer : writers) writer.close();
  output.finish();
}

}  // namespace
}  // namespace foretile

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  try {
    foretile::convert(foretile::parse_matrix_place(argv[1]), foretile::parse_matrix_place(argv[2]));
    return 0;
  } catch (const foretile::InputError& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 2;
  } catch (const foretile::WorkError& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
