// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/read_speed.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/matrix_files/matrix_writer.hpp"
#include "tests/base/scratch_folder.hpp"

namespace foretile::read_speed_test {
namespace {

class ReadSpeedTest : public ScratchFolder {
 protected:
  /// 7 x 5 doubles.
  MatrixPlace small_matrix() const {
    const MatrixPlace place = parse_matrix_place((folder_ / "a.npy").string());
    const MatrixFacts facts = dense_output(place, 7, 5, {});
    MatrixOutput output(place, facts);
    MatrixWriter writer(output.ticket(), facts);
    const std::vector<double> numbers(35, 1.5);
    writer.write({0, 0, 7, 5}, reinterpret_cast<const std::byte*>(numbers.data()), 7);
    writer.close();
    output.finish();
    return place;
  }
};

/// A reader that takes its time and notes what it was asked for.
class SlowReader final : public MatrixReader {
 public:
  using Clock = std::chrono::steady_clock;
  struct Read {
    MatrixRectangle where;
    Clock::time_point began, ended;
  };

  explicit SlowReader(const MatrixReader& of) : MatrixReader(of.facts()), of_(of) {}
  const InputFile& file() const override { return of_.file(); }
  /// In the order in which they began.
  std::vector<Read> reads() const {
    std::vector<Read> sorted = reads_;
    std::sort(sorted.begin(), sorted.end(), [](const Read& l, const Read& r) { return l.began < r.began; });
    return sorted;
  }

 private:
  void read_inside(const MatrixRectangle& where, std::byte* to, std::int64_t ld) const override {
    const auto began = Clock::now();
    of_.read(where, to, ld);
    std::this_thread::sleep_until(began + std::chrono::milliseconds(2));
    const std::lock_guard lock(mutex_);
    reads_.push_back({where, began, Clock::now()});
  }
  void read_content(std::int64_t, std::span<std::byte>) const override {}

  const MatrixReader& of_;
  mutable std::mutex mutex_;
  mutable std::vector<Read> reads_;
};

std::int64_t bytes_of(std::span<const SlowReader::Read> reads) {
  std::int64_t bytes = 0;
  for (const SlowReader::Read& read : reads) bytes += read.where.rows * read.where.columns * 8;
  return bytes;
}

/// The time that a speed stands for is between that of the reads and that of the whole call.
void expect_between(double seconds, std::span<const SlowReader::Read> reads, double whole_s) {
  auto last = reads.front().ended;
  for (const SlowReader::Read& read : reads) last = std::max(last, read.ended);
  EXPECT_GE(seconds, std::chrono::duration<double>(last - reads.front().began).count() * (1 - 1e-9));
  EXPECT_LE(seconds, whole_s);
}

/// A read takes longer than all the time given, so each thread makes one: the first alone, then three, which
/// begin with tiles 0, 35 / 3 and 2 * 35 / 3 of the 35 of one element.
TEST_F(ReadSpeedTest, DividesTheBytesReadByTheTime) {
  const auto matrix = open_matrix(small_matrix());
  const SlowReader reader(*matrix);
  const auto start = SlowReader::Clock::now();
  const ReadSpeed speed = read_speed(reader, 1, 3, 1e-6);
  const double whole_s = std::chrono::duration<double>(SlowReader::Clock::now() - start).count();
  const std::vector<SlowReader::Read> reads = reader.reads();
  ASSERT_EQ(reads.size(), 4U);
  const auto first = std::span(reads).first(1), others = std::span(reads).subspan(1);
  expect_between(static_cast<double>(bytes_of(first)) / speed.one_thread, first, whole_s);
  expect_between(static_cast<double>(bytes_of(others)) / speed.all_threads, others, whole_s);
  std::vector<std::pair<std::int64_t, std::int64_t>> places;
  for (const SlowReader::Read& read : others) places.emplace_back(read.where.row, read.where.column);
  std::sort(places.begin(), places.end());
  const bool by_columns = matrix->facts().layout == MatrixLayout::column_major;
  const auto place = [&](std::int64_t tile) {
    return by_columns ? std::pair(tile % 7, tile / 7) : std::pair(tile / 5, tile % 5);
  };
  std::vector expected = {place(0), place(11), place(23)};
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(places, expected);
}

/// Both parts go on until their time is over: 20 ms each, in which no thread comes to the last of 35 tiles.
TEST_F(ReadSpeedTest, ReadsForTheTimeGiven) {
  const auto matrix = open_matrix(small_matrix());
  const SlowReader reader(*matrix);
  const ReadSpeed speed = read_speed(reader, 1, 1, 0.02);
  const std::vector<SlowReader::Read> reads = reader.reads();
  const auto second = std::find_if(reads.begin() + 1, reads.end(), [&](const SlowReader::Read& read) {
    return read.where == reads.front().where;
  });
  ASSERT_NE(second, reads.end());
  const auto seconds = [](std::span<const SlowReader::Read> part, double bytes_per_s) {
    return static_cast<double>(bytes_of(part)) / bytes_per_s;
  };
  EXPECT_GE(seconds({reads.begin(), second}, speed.one_thread), 0.02);
  EXPECT_GE(seconds({second, reads.end()}, speed.all_threads), 0.02);
}

/// Whatever the size of the tiles, also beyond the matrix.
TEST_F(ReadSpeedTest, ReadsAtLeastOneTileOnEachThread) {
  const auto matrix = open_matrix(small_matrix());
  for (const std::int64_t tile : {1, 2, 3, 7, 100}) {
    const ReadSpeed speed = read_speed(*matrix, tile, 3, 1e-6);
    EXPECT_GT(speed.one_thread, 0) << tile;
    EXPECT_GT(speed.all_threads, 0) << tile;
    EXPECT_EQ(speed.threads, 3);
  }
}

TEST_F(ReadSpeedTest, TellsOfAFileThatWasCutOff) {
  const MatrixPlace place = small_matrix();
  const auto matrix = open_matrix(place);
  ASSERT_EQ(::truncate(place.file.c_str(), 100), 0);
  EXPECT_THROW(read_speed(*matrix, 7, 2, 1e-6), WorkError);
}

}  // namespace
}  // namespace foretile::read_speed_test
