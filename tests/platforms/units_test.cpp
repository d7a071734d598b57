// SPDX-License-Identifier: BSD-3-Clause
#include "platforms/units.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace foretile::units_test {
namespace {

std::string error_of(std::string_view text, Dimension dimension) {
  try {
    parse_quantity(text, dimension, "file:3: key");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Units, ReadsPrefixes) {
  EXPECT_EQ(parse_quantity("47.7 GB/s", Dimension::bytes_per_s, ""), 47.7e9);
  EXPECT_EQ(parse_quantity("16 GiB", Dimension::bytes, ""), 17179869184.0);
  EXPECT_EQ(parse_quantity("11.1 us", Dimension::seconds, ""), 11.1e-6);
  EXPECT_EQ(parse_quantity("950ns", Dimension::seconds, ""), 950e-9);
  EXPECT_EQ(parse_quantity("7.2 Tflop/s", Dimension::flops_per_s, ""), 7.2e12);
  EXPECT_EQ(parse_quantity(" 3e9 ", Dimension::bytes_per_s, ""), 3e9);
  EXPECT_EQ(parse_quantity("\t2 GB/s \t", Dimension::bytes_per_s, ""), 2e9);
}

TEST(Units, RefusesOtherUnitsAndSaysWhatItExpects) {
  const std::string message = error_of("5 GB", Dimension::seconds);
  EXPECT_EQ(message, "file:3: key: found \"5 GB\", expected seconds, as 11.1e-6 or \"11.1 us\"");
  for (const char* text : {"", "GB/s", "5 mB/s", "5 GB / s", "5 GB/s/s", "five GB/s", "5 5 GB/s"}) {
    EXPECT_NE(error_of(text, Dimension::bytes_per_s), "no error") << text;
  }
  EXPECT_NE(error_of("1 ks", Dimension::seconds), "no error");
  EXPECT_NE(error_of("1 B", Dimension::number), "no error");
}

TEST(Units, ReadsDurations) {
  for (const auto& [text, seconds] : {std::pair("1m", 60.0),
                                      {"2h", 7200.0},
                                      {"1h30m", 5400.0},
                                      {"1h 30m", 5400.0},
                                      {"1 h 1 m 1 s", 3661.0},
                                      {"1.5h", 5400.0},
                                      {"1m30s", 90.0},
                                      {"60s", 60.0},
                                      {" 90 ", 90.0},
                                      {"500 ms", 0.5},
                                      {"2h5s", 7205.0}}) {
    EXPECT_DOUBLE_EQ(parse_duration(text, "--budget"), seconds) << text;
  }
  for (const char* text : {"", " ", "h", "1d", "30m1h", "1m1m", "1h30", "1hm", "1m 500 ms", "1,5h"}) {
    try {
      parse_duration(text, "--budget");
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("expected a duration, as \"90s\""), std::string::npos);
    }
  }
}

TEST(Units, ReadsSizesWithAndWithoutASpace) {
  for (const char* text : {"16 GiB", "16GiB", " 16  GiB "}) {
    EXPECT_EQ(parse_quantity(text, Dimension::bytes, ""), 17179869184.0) << text;
  }
  EXPECT_EQ(parse_quantity("16GB", Dimension::bytes, ""), 16e9);
}

TEST(Units, RemindsOfBits) {
  // 50 Gbit/s are 6.25 GB/s.
  for (const char* text : {"50 Gbps", "50 Gb/s", "50 Gbit/s"}) {
    const std::string message = error_of(text, Dimension::bytes_per_s);
    EXPECT_NE(message.find("8 bits make a byte: write 6.25 GB/s if bits are meant, else 50 GB/s"),
              std::string::npos)
        << message;
  }
  for (const char* text : {"16 mb", "16 Mb", "16 Mbit"}) {
    EXPECT_NE(error_of(text, Dimension::bytes).find("write 2 MB if bits are meant, else 16 MB"),
              std::string::npos)
        << text;
  }
  EXPECT_EQ(error_of("16 xb", Dimension::bytes).find("bits"), std::string::npos);
}

TEST(Units, WritesWithAFittingPrefix) {
  EXPECT_EQ(format_quantity(47.7e9, Dimension::bytes_per_s), "47.7 GB/s");
  EXPECT_EQ(format_quantity(11.1e-6, Dimension::seconds), "11.1 us");
  EXPECT_EQ(format_quantity(1e3, Dimension::bytes), "1 kB");
  EXPECT_EQ(format_quantity(0, Dimension::seconds), "0 s");
  EXPECT_EQ(format_quantity(25, Dimension::number), "25");
  EXPECT_EQ(format_quantity(90, Dimension::seconds), "90 s");
}

}  // namespace
}  // namespace foretile::units_test
