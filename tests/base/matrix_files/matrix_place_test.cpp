// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/matrix_place.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace foretile::matrix_place_test {
namespace {

TEST(MatrixPlace, TheEndingNamesTheFormat) {
  EXPECT_EQ(parse_matrix_place("x/a.npy"), (MatrixPlace{"x/a.npy", "", MatrixFormat::npy}));
  EXPECT_EQ(parse_matrix_place("a.mtx"), (MatrixPlace{"a.mtx", "", MatrixFormat::matrix_market}));
  EXPECT_EQ(parse_matrix_place("a.h5:/g/A"), (MatrixPlace{"a.h5", "/g/A", MatrixFormat::hdf5}));
  EXPECT_EQ(parse_matrix_place("a.hdf5:A"), (MatrixPlace{"a.hdf5", "/A", MatrixFormat::hdf5}));
  EXPECT_EQ(parse_matrix_place("a.h5"), (MatrixPlace{"a.h5", "", MatrixFormat::hdf5}));
  EXPECT_EQ(parse_matrix_place("a:b.npy"), (MatrixPlace{"a:b.npy", "", MatrixFormat::npy}));
  EXPECT_EQ(parse_matrix_place("c:a.h5:/A"), (MatrixPlace{"c:a.h5", "/A", MatrixFormat::hdf5}));
}

TEST(MatrixPlace, IsNamedAsItWasRead) {
  for (const std::string text : {"x/a.npy", "a.h5:/g/A", "a.h5", "b.mtx"})
    EXPECT_EQ(name_of(parse_matrix_place(text)), text);
}

/// Of files that hold matrices, but are not read.
TEST(MatrixPlace, SaysHowToConvertOtherFormats) {
  for (const auto& [text, advice] : {std::pair<std::string, std::string>("a.npz", "numpy.load"),
                                     {"a.mtx.gz", "gunzip"},
                                     {"a.csv", "loadtxt"},
                                     {"a.mat", "loadmat"}}) {
    EXPECT_TRUE(is_matrix_place(text)) << text;
    try {
      parse_matrix_place(text);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(advice), std::string::npos) << error.what();
    }
  }
}

TEST(MatrixPlace, OutputsAreOfFormatsThatAreWritten) {
  EXPECT_EQ(parse_output_place("c.npy").format, MatrixFormat::npy);
  EXPECT_EQ(parse_output_place("c.h5:/C").dataset, "/C");
  for (const std::string text : {"c.mtx", "c.csv"}) {
    try {
      parse_output_place(text);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("expected FILE.npy or FILE.h5:/DATASET"), std::string::npos);
    }
  }
}

TEST(MatrixPlace, RefusesOtherEndings) {
  for (const std::string text : {"", ":", "a", "a.toml", "a.npy:/A", "a.h5x:/A", "c65-v1"}) {
    EXPECT_FALSE(is_matrix_place(text)) << text;
    EXPECT_THROW(parse_matrix_place(text), InputError) << text;
  }
}

}  // namespace
}  // namespace foretile::matrix_place_test
