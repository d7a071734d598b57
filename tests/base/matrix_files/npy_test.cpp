// SPDX-License-Identifier: BSD-3-Clause
#include "base/matrix_files/npy.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/limits.hpp"

namespace foretile::npy_test {
namespace {

std::string version_1(const std::string& dictionary) {
  std::string start("\x93NUMPY\1\0", 8);
  start += static_cast<char>(dictionary.size() & 0xff);
  start += static_cast<char>(dictionary.size() >> 8);
  return start + dictionary;
}

std::string message_of(const std::string& start) {
  try {
    parse_npy_header(start, "a.npy");
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Npy, ReadsAHeader) {
  const auto header =
      parse_npy_header(version_1("{'descr': '<c8', 'fortran_order': True, 'shape': (3, 4), }  \n"), "a.npy");
  EXPECT_EQ(header.facts.rows, 3);
  EXPECT_EQ(header.facts.columns, 4);
  EXPECT_EQ(header.facts.element, (ElementType{Precision::f32, true}));
  EXPECT_EQ(header.facts.layout, MatrixLayout::column_major);
  EXPECT_EQ(header.facts.bytes(), 12 * 8);
  EXPECT_EQ(header.bytes, 10 + 61);
}

TEST(Npy, ReadsOtherSpellings) {
  for (const std::string text : {"{\"shape\":(3,4),\"fortran_order\":False,\"descr\":\"<f8\"}",
                                 "{'shape': (3L, 4L), 'fortran_order': False, 'descr': '<f8'}"}) {
    const auto facts = parse_npy_header(version_1(text), "a.npy").facts;
    EXPECT_EQ(facts.rows, 3) << text;
    EXPECT_EQ(facts.layout, MatrixLayout::row_major) << text;
  }
}

TEST(Npy, ReadsTheHeadersThatItWrites) {
  for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{12345}, max_extent}) {
    for (const MatrixLayout layout : {MatrixLayout::row_major, MatrixLayout::column_major}) {
      const MatrixFacts facts = dense_facts("test", rows, 7, {Precision::f64, true}, layout);
      const std::string text = npy_header(facts);
      EXPECT_EQ(text.size() % 64, 0U);
      const NpyHeader header = parse_npy_header(text, "a.npy");
      EXPECT_EQ(header.bytes, std::ssize(text));
      EXPECT_EQ(describe(header.facts), describe(facts));
    }
  }
}

TEST(Npy, RefusesOtherContents) {
  const std::string good = "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4)}";
  ASSERT_EQ(message_of(version_1(good)), "no error");
  for (std::size_t length = 0; length < version_1(good).size(); ++length)
    EXPECT_NE(message_of(version_1(good).substr(0, length)), "no error") << length;
  for (const std::string text :
       {"",
        "{",
        "{}",
        "[1]",
        "{'descr': '<f8'}",
        "{'descr': '<f8', 'fortran_order': True}",
        "{'descr': 8, 'fortran_order': True, 'shape': (3, 4)}",
        "{'descr': '<f8', 'fortran_order': 1, 'shape': (3, 4)}",
        "{'descr': '<f8', 'fortran_order': True, 'shape': [3, 4]}",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), 'more': True}",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), 'shape': (3, 4)}",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (3, -4)}",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 0)}",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (3, )}",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4, 5)}",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 1000000000000001)}",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (2000000000, 2000000000)}",
        "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 99999999999999999999)}",
        "{'descr': [('x', '<f8'",
        "{'descr': '<i8', 'fortran_order': True, 'shape': (3, 4)}"}) {
    EXPECT_NE(message_of(version_1(text)), "no error") << text;
  }
  EXPECT_EQ(message_of(std::string("\x93NUMPY\x04\0\0\0\0\0", 12)),
            "a.npy: found version 4 of the .npy format, expected 1, 2 or 3; write the file again with "
            "numpy.save()");
  EXPECT_EQ(message_of(std::string("\x93NUMPY\x02\0\xff\xff\xff\xff", 12)).substr(0, 39),
            "a.npy: found a header of 4294967295 byt");
}

}  // namespace
}  // namespace foretile::npy_test
