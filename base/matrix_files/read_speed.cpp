#include "base/matrix_files/read_speed.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "base/random.hpp"

namespace foretile {

namespace {

using Clock = std::chrono::steady_clock;

/// Of `tiles` along an extent.
std::int64_t draw_begin(std::int64_t extent, std::int64_t tile, Random& random) {
  return tile * random.integer(0, (extent - 1) / tile);
}

/// Returns the bytes. At least one tile.
std::int64_t read_until(Clock::time_point end, const MatrixReader& matrix, std::int64_t tile,
                        std::uint64_t seed) {
  const MatrixFacts& facts = matrix.facts();
  Random random(seed);
  std::vector<std::byte> numbers(static_cast<std::size_t>(
      std::min(tile, facts.rows) * std::min(tile, facts.columns) * facts.element.bytes()));
  std::int64_t bytes = 0;
  do {
    MatrixRectangle where{draw_begin(facts.rows, tile, random), draw_begin(facts.columns, tile, random)};
    where.rows = std::min(tile, facts.rows - where.row);
    where.columns = std::min(tile, facts.columns - where.column);
    matrix.read(where, numbers.data(), where.rows);
    bytes += where.rows * where.columns * facts.element.bytes();
  } while (Clock::now() < end);
  return bytes;
}

double speed(const MatrixReader& matrix, std::int64_t tile, int threads, double seconds) {
  const auto begin = Clock::now();
  const auto end =
      begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  std::atomic<std::int64_t> bytes = 0;
  std::mutex mutex;
  std::exception_ptr failure;
  {
    std::vector<std::jthread> readers;
    for (int t = 0; t < threads; ++t) {
      readers.emplace_back([&, t] {
        try {
          bytes += read_until(end, matrix, tile, static_cast<std::uint64_t>(t) + 1);
        } catch (...) {
          const std::lock_guard lock(mutex);
          failure = std::current_exception();
        }
      });
    }
  }
  if (failure) std::rethrow_exception(failure);
  return static_cast<double>(bytes) / std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

ReadSpeed read_speed(const MatrixReader& matrix, std::int64_t tile, int threads, double seconds) {
  return {speed(matrix, tile, 1, seconds), speed(matrix, tile, threads, seconds), threads};
}

}  // namespace foretile
