// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/read_speed.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "base/threads.hpp"

namespace foretile {

namespace {

using Clock = std::chrono::steady_clock;

/// The tiles of a matrix in the order of the file's lines, round and round.
class Tiles {
 public:
  Tiles(const MatrixFacts& facts, std::int64_t tile)
      : facts_(facts),
        tile_(tile),
        along_rows_(facts.layout == MatrixLayout::column_major),
        rows_((facts.rows - 1) / tile + 1),
        columns_((facts.columns - 1) / tile + 1) {}

  std::int64_t count() const { return rows_ * columns_; }
  MatrixRectangle at(std::int64_t number) const {
    number %= count();
    const std::int64_t row = tile_ * (along_rows_ ? number % rows_ : number / columns_);
    const std::int64_t column = tile_ * (along_rows_ ? number / rows_ : number % columns_);
    return {row, column, std::min(tile_, facts_.rows - row), std::min(tile_, facts_.columns - column)};
  }

 private:
  const MatrixFacts& facts_;
  std::int64_t tile_;
  bool along_rows_;
  std::int64_t rows_, columns_;
};

/// Returns the bytes. At least one tile.
std::int64_t read_until(Clock::time_point end, const MatrixReader& matrix, const Tiles& tiles,
                        std::int64_t first) {
  std::vector<std::byte> numbers;
  std::int64_t bytes = 0;
  for (std::int64_t number = first; number == first || Clock::now() < end; ++number) {
    const MatrixRectangle where = tiles.at(number);
    const std::int64_t size = where.rows * where.columns * matrix.facts().element.bytes();
    numbers.resize(static_cast<std::size_t>(size));
    matrix.read(where, numbers.data(), where.rows);
    bytes += size;
  }
  return bytes;
}

/// Each thread begins in a part of the matrix of its own.
double speed(const MatrixReader& matrix, std::int64_t tile, int threads, double seconds) {
  const Tiles tiles(matrix.facts(), tile);
  const auto begin = Clock::now();
  const auto end =
      begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::atomic<std::int64_t> bytes = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  {
    std::vector<std::jthread> readers;
    for (int t = 0; t < threads; ++t) {
      readers.push_back(start_thread([&, t] {
        try {
          bytes += read_until(end, matrix, tiles, tiles.count() * t / threads);
        } catch (...) {
          const std::lock_guard lock(mutex);
          failure = std::current_exception();
        }
      }));
    }
  }
  if (failure) std::rethrow_exception(failure);
  return static_cast<double>(bytes) / std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

ReadSpeed read_speed(const MatrixReader& given, std::int64_t tile, int threads, double seconds) {
  const std::unique_ptr<MatrixReader> turned = given.transposed();  // as runs read it
  const MatrixReader& matrix = turned ? *turned : given;
  return {speed(matrix, tile, 1, seconds), speed(matrix, tile, threads, seconds), threads};
}

}  // namespace foretile
