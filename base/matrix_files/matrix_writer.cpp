// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/matrix_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>
#include <stdexcept>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/matrix_files/hdf5.hpp"
#include "base/matrix_files/input_file.hpp"
#include "base/matrix_files/npy.hpp"
#include "base/matrix_files/tile_cuts.hpp"
#include "base/matrix_files/transpose.hpp"

namespace foretile {

namespace {

/// Of the lines that are put together before they are written.
constexpr std::int64_t kWritten_bytes = std::int64_t{1} << 20;

[[noreturn]] void refuse_market(const MatrixPlace& place) {
  throw input_error(name_of(place), "an output in Matrix Market format", "FILE.npy or FILE.h5:/DATASET",
                    "processes cannot write parts of a text file at the same time");
}

void check_place(const MatrixPlace& place, const MatrixFacts& facts) {
  if (place.format == MatrixFormat::matrix_market) refuse_market(place);
  if (place.format == MatrixFormat::npy && facts.is_sparse())
    throw input_error(name_of(place), "a block-sparse matrix in a .npy file", "FILE.h5:/DATASET",
                      "name an HDF5 file");
  if (place.format == MatrixFormat::hdf5 && place.dataset.size() < 2)
    throw input_error(name_of(place), "no name of a dataset", fmt::format("{}:/DATASET", place.file.string()),
                      "add one, for example :/C");
}

OutputPlace regular_place(const MatrixPlace& place) {
  OutputPlace found = find_output_place(place.file);
  if (!found.is_regular_or_missing()) refuse_output(place.file, "it is no regular file");
  return found;
}

/// The path of an open file.
std::string path_of(int descriptor) {
  std::error_code error;
  const auto path = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", descriptor), error);
  if (error) throw WorkError(fmt::format("no name of the temporary file: {}", error.message()));
  return path.string();
}

void copy_whole(const InputFile& from, std::ostream& to) {
  std::vector<std::byte> part(std::size_t{1} << 20);
  for (std::int64_t at = 0; at < from.bytes(); at += std::ssize(part)) {
    const std::int64_t count = std::min<std::int64_t>(std::ssize(part), from.bytes() - at);
    from.read(at, count, part.data());
    to.write(reinterpret_cast<const char*>(part.data()), count);
  }
}

}  // namespace

MatrixFacts dense_output(const MatrixPlace& place, std::int64_t rows, std::int64_t columns,
                         ElementType element) {
  if (place.format == MatrixFormat::matrix_market) refuse_market(place);
  return dense_facts(
      name_of(place), rows, columns, element,
      place.format == MatrixFormat::hdf5 ? MatrixLayout::row_major : MatrixLayout::column_major);
}

class MatrixOutput::File {
 public:
  File(const MatrixPlace& place, const MatrixFacts& facts, bool overwrite)
      : place_(regular(place)), file_(place.file), exists_(has_content(regular_place(place))) {
    if (place.format != MatrixFormat::hdf5) require_alone();
    begin_ = place.format == MatrixFormat::npy ? add_npy_header(facts) : add_dataset(facts, overwrite);
    reserve(begin_ + facts.bytes());
  }

  std::string ticket() { return fmt::format("{}:{}", begin_, path_of(descriptor())); }
  std::filesystem::path finish() {
    if (place_.format == MatrixFormat::hdf5) return file_.commit_or_put_beside();
    file_.commit();
    return place_.file;
  }

 private:
  /// Before a FIFO is opened, which would wait for its reader.
  static const MatrixPlace& regular(const MatrixPlace& place) {
    regular_place(place);
    return place;
  }

  static bool has_content(const OutputPlace& place) { return place.facts && place.facts->st_size > 0; }

  int descriptor() { return static_cast<DescriptorBuffer&>(*file_.stream().rdbuf()).file().get(); }

  void flush() {
    if (!file_.stream().flush())
      throw WorkError(fmt::format("{}: could not be written: {}", place_.file.string(), system_message()));
  }

  void require_alone() const {
    if (file_.is_written_by_another())
      throw input_error(place_.file.string(), "a file that another run writes at the moment",
                        "an output of this run alone", "wait for that run, or choose another name");
  }

  std::int64_t add_npy_header(const MatrixFacts& facts) {
    const std::string header = npy_header(facts);
    file_.stream() << header;
    flush();
    return std::ssize(header);
  }

  std::int64_t add_dataset(const MatrixFacts& facts, bool overwrite) {
    if (exists_) copy_whole(InputFile(place_.file.string()), file_.stream());
    flush();
    try_room_for(facts);
    return add_to_hdf5(path_of(descriptor()), !exists_, place_, facts, overwrite);
  }

  /// A full disk is found before HDF5 meets it: a file that it cannot close ends the program later.
  void try_room_for(const MatrixFacts& facts) {
    struct stat file = {};
    if (::fstat(descriptor(), &file) != 0)
      throw WorkError(fmt::format("{}: {}", place_.file.string(), system_message()));
    constexpr std::int64_t kStructures = std::int64_t{1} << 20;  // of the file, beside lists and numbers
    const auto list_entries = static_cast<std::int64_t>(3 * facts.tiles.size() + facts.row_tiles.size() +
                                                        facts.column_tiles.size());
    reserve(file.st_size + facts.bytes() + 8 * list_entries + kStructures);
    if (::ftruncate(descriptor(), file.st_size) != 0)
      throw WorkError(fmt::format("{}: {}", place_.file.string(), system_message()));
  }

  void reserve(std::int64_t bytes) {
    if (bytes == 0) return;  // a matrix without stored tiles
    int error = 0;
    do {
      error = ::posix_fallocate(descriptor(), 0, bytes);
    } while (error == EINTR);
    if (error == 0) return;
    errno = error;
    throw WorkError(
        fmt::format("{}: no room for its {} bytes: {}", place_.file.string(), bytes, system_message()));
  }

  MatrixPlace place_;
  AtomicFile file_;  ///< notices what another run makes of the file from here on
  bool exists_;
  std::int64_t begin_ = 0;
};

MatrixOutput::MatrixOutput(const MatrixPlace& place, const MatrixFacts& facts, bool overwrite) {
  check_place(place, facts);
  file_ = std::make_unique<File>(place, facts, overwrite);
  ticket_ = file_->ticket();
}

MatrixOutput::~MatrixOutput() = default;

std::filesystem::path MatrixOutput::finish() {
  return file_->finish();
}

void require_in_place(const MatrixPlace& place, const std::filesystem::path& found) {
  if (found == place.file) return;
  throw WorkError(
      fmt::format("{}: another program wrote to it during the run, so it stays as it is: the result is in {}",
                  place.file.string(), name_of({found, place.dataset, place.format})));
}

std::string path_of_ticket(const std::string& ticket) {
  return ticket.substr(ticket.find(':') + 1);
}

MatrixWriter::MatrixWriter(const std::string& ticket, const MatrixFacts& facts) : facts_(facts) {
  const auto [end, error] = std::from_chars(ticket.data(), ticket.data() + ticket.size(), begin_);
  if (error != std::errc{} || *end != ':') throw std::invalid_argument("no ticket: " + ticket);
  path_ = path_of_ticket(ticket);
  file_ = Descriptor(::open(path_.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file_) throw WorkError(fmt::format("{}: cannot be opened: {}", path_, system_message()));
  if (facts_.layout != MatrixLayout::block_sparse) return;
  row_cuts_ = cuts_of(facts_.row_tiles);
  column_cuts_ = cuts_of(facts_.column_tiles);
  offsets_ = gapless_offsets(facts_);
}

/// Column-major elements: the first one, and the distance between columns.
struct MatrixWriter::Target {
  std::int64_t first = 0;
  std::int64_t ld = 0;
};

/// In the stored tile that has it.
MatrixWriter::Target MatrixWriter::target_of(const MatrixRectangle& r) const {
  const MatrixTile tile{tile_at(row_cuts_, r.row), tile_at(column_cuts_, r.column)};
  const auto at = std::lower_bound(facts_.tiles.begin(), facts_.tiles.end(), tile);
  const std::int64_t row = r.row - row_cuts_[static_cast<std::size_t>(tile.row)];
  const std::int64_t column = r.column - column_cuts_[static_cast<std::size_t>(tile.column)];
  const std::int64_t rows = facts_.row_tiles[static_cast<std::size_t>(tile.row)];
  if (at == facts_.tiles.end() || *at != tile || row + r.rows > rows ||
      column + r.columns > facts_.column_tiles[static_cast<std::size_t>(tile.column)])
    throw std::out_of_range("a rectangle that is not in one stored tile");
  return {offsets_[static_cast<std::size_t>(at - facts_.tiles.begin())] + row + column * rows, rows};
}

void MatrixWriter::write(const MatrixRectangle& r, const std::byte* from, std::int64_t ld) const {
  require_inside(r, facts_);
  if (r.rows == 0 || r.columns == 0) return;
  if (facts_.layout == MatrixLayout::block_sparse) return write_tile(r, from, ld);
  const RectangleNumbers numbers{r, from, ld, false};
  write({&numbers, 1});
}

void MatrixWriter::write_tile(const MatrixRectangle& r, const std::byte* from, std::int64_t ld) const {
  const std::int64_t bytes = facts_.element.bytes();
  const Target to = target_of(r);
  if (r.rows == to.ld && ld == r.rows)
    return write_at(begin_ + to.first * bytes, from, r.rows * r.columns * bytes);
  for (std::int64_t j = 0; j < r.columns; ++j)
    write_at(begin_ + (to.first + j * to.ld) * bytes, from + j * ld * bytes, r.rows * bytes);
}

namespace {

/// Lines [first, first + count) of a file, and elements [begin, begin + length) of each.
struct Lines {
  std::int64_t first = 0, count = 0, begin = 0, length = 0;
};

Lines lines_of(const MatrixRectangle& r, bool by_rows) {
  return by_rows ? Lines{r.row, r.rows, r.column, r.columns} : Lines{r.column, r.columns, r.row, r.rows};
}

/// Lines [first, first + count) of those that the rectangle has, one behind the other at `to`, `ld` apart.
void copy_lines(ElementType element, const RectangleNumbers& from, bool by_rows, std::int64_t first,
                std::int64_t count, std::byte* to, std::int64_t ld) {
  const std::int64_t bytes = element.bytes();
  const std::int64_t length = lines_of(from.where, by_rows).length;
  if (from.row_major != by_rows) {
    transpose_block(element, from.data + first * bytes, from.ld, to, ld, count, length);
    return;
  }
  for (std::int64_t line = 0; line < count; ++line)
    std::copy_n(from.data + (first + line) * from.ld * bytes, length * bytes, to + line * ld * bytes);
}

}  // namespace

void MatrixWriter::write(std::span<const RectangleNumbers> strip) const {
  if (strip.empty()) return;
  if (facts_.layout == MatrixLayout::block_sparse) throw std::out_of_range("a strip of stored tiles");
  Lines all = lines_of(strip.front().where, by_rows());
  all.length = 0;
  for (const RectangleNumbers& part : strip) {
    require_inside(part.where, facts_);
    const Lines lines = lines_of(part.where, by_rows());
    if (lines.first != all.first || lines.count != all.count || lines.begin != all.begin + all.length)
      throw std::out_of_range("rectangles that are not side by side");
    all.length += lines.length;
  }
  if (all.length == 0) return;
  const std::int64_t bytes = facts_.element.bytes(), line_bytes = all.length * bytes;
  const std::int64_t file_line = by_rows() ? facts_.columns : facts_.rows;
  const std::int64_t at_once =
      std::clamp<std::int64_t>(kWritten_bytes / line_bytes, 1, std::max<std::int64_t>(1, all.count));
  std::vector<std::byte> panel(static_cast<std::size_t>(at_once * line_bytes));
  for (std::int64_t first = 0; first < all.count; first += at_once) {
    const std::int64_t count = std::min(at_once, all.count - first);
    for (const RectangleNumbers& part : strip) {
      const std::int64_t offset = lines_of(part.where, by_rows()).begin - all.begin;
      copy_lines(facts_.element, part, by_rows(), first, count, panel.data() + offset * bytes, all.length);
    }
    const std::int64_t begin = begin_ + ((all.first + first) * file_line + all.begin) * bytes;
    if (all.length == file_line) {
      write_at(begin, panel.data(), count * line_bytes);
      continue;
    }
    for (std::int64_t line = 0; line < count; ++line)
      write_at(begin + line * file_line * bytes, panel.data() + line * line_bytes, line_bytes);
  }
}

void MatrixWriter::write_at(std::int64_t begin, const std::byte* from, std::int64_t bytes) const {
  while (bytes > 0) {
    const ssize_t count = ::pwrite(file_.get(), from, static_cast<std::size_t>(bytes), begin);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw WorkError(fmt::format("{}: could not be written: {}", path_, system_message()));
    begin += count;
    bytes -= count;
    from += count;
  }
}

void MatrixWriter::close() {
  const bool synced = ::fsync(file_.get()) == 0;
  if (!synced || !file_.close())
    throw WorkError(fmt::format("{}: could not be written whole: {}", path_, system_message()));
}

}  // namespace foretile
