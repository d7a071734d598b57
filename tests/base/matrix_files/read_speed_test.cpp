// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/read_speed.hpp"

#include <unistd.h>

#include <fstream>
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
