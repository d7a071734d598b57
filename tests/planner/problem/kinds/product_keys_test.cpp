// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/kinds/product_keys.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "planner/problem/kinds/problem.hpp"

namespace foretile::product_keys_test {
namespace {

constexpr const char* kDense = "kind = \"dense\"\nm = 4\nn = 4\nk = 4\ntile = 4\n";

Contraction built(const std::string& keys) {
  return build_contraction({"p", kDense + keys, "p.toml"});
}

template <class Work>
std::string message_of(Work work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ProductKeys, SayHowTheProductIsMeant) {
  const Contraction p = built(
      "precision = \"single\"\ncomplex = true\na_op = \"T\"\nb_op = \"C\"\nalpha = [2, -0.5]\nbeta = 3\n");
  EXPECT_EQ(p.element(), (ElementType{Precision::f32, true}));
  EXPECT_EQ(p.a_op, Op::transpose);
  EXPECT_EQ(p.b_op, Op::conjugate_transpose);
  EXPECT_EQ(p.alpha, (std::complex<double>{2, -0.5}));
  EXPECT_EQ(p.beta, (std::complex<double>{3, 0}));
}

TEST(ProductKeys, AreTheUsualOnesWhereNothingIsSaid) {
  const Contraction p = built("");
  EXPECT_EQ(p.product_form(), ProductForm{});
  EXPECT_FALSE(p.reads_c());
  EXPECT_EQ(built("beta = 0\n").beta, 0.0);
  EXPECT_EQ(built("accumulate = true\nbeta = 1\n").beta, 1.0);
  EXPECT_EQ(product_keys_toml({}), "");
}

TEST(ProductKeys, AreWrittenAsTheyAreRead) {
  ProductKeys keys;
  keys.element = {Precision::f32, true};
  keys.a_source = Source::given;
  keys.b_source = Source::generated;
  keys.a_op = Op::transpose;
  keys.b_op = Op::conjugate_transpose;
  keys.alpha = {0.1, -1e300};
  keys.beta = -2;
  const std::string text = product_keys_toml(keys);
  EXPECT_EQ(
      text,
      "a_source = \"given\"\nb_source = \"generated\"\nprecision = \"single\"\ncomplex = true\na_op = \"T\"\n"
      "b_op = \"C\"\nalpha = [0.1, -1e+300]\nbeta = -2\n");
  const Contraction p = built(text);
  EXPECT_EQ(p.alpha, keys.alpha);
  EXPECT_EQ(p.beta, *keys.beta);
}

TEST(ProductKeys, WhatIsWrongIsNamed) {
  const auto wrong = [](const std::string& key) { return message_of([&] { built(key); }); };
  EXPECT_EQ(wrong("a_op = \"t\"\n"), "p.toml:6: key 'a_op': found \"t\", expected \"N\", \"T\" or \"C\"");
  EXPECT_EQ(
      wrong("alpha = [1, 2]\n"),
      "p.toml:6: key 'alpha': found a list, expected a number; a problem of complex numbers says complex = "
      "true");
  EXPECT_EQ(wrong("complex = true\nalpha = [1, 2, 3]\n"),
            "p.toml:7: key 'alpha': found [ 1, 2, 3 ], expected a list of two finite numbers");
  EXPECT_NE(wrong("complex = true\nbeta = [nan, 2]\n").find("p.toml:7: key 'beta': found"),
            std::string::npos);
  EXPECT_NE(wrong("beta = inf\n").find("p.toml:6: key 'beta': found inf"), std::string::npos);
  EXPECT_EQ(wrong("accumulate = true\nbeta = 0.5\n"),
            "p.toml:7: key 'beta': found 0.5 beside accumulate = true, expected 1, or no accumulate; leave "
            "accumulate out");
}

TEST(ProductKeys, NumbersOfACommandLine) {
  EXPECT_EQ(complex_number("--alpha", "-0.5"), (std::complex<double>{-0.5, 0}));
  EXPECT_EQ(complex_number("--alpha", "1e3,-2"), (std::complex<double>{1000, -2}));
  for (const char* bad : {"", ",", "1,", ",1", "1,2,3", "nan", "inf", "1 2", "two"}) {
    EXPECT_NE(message_of([&] { complex_number("--alpha", bad); }).find("--alpha: found"), std::string::npos)
        << bad;
  }
}

}  // namespace
}  // namespace foretile::product_keys_test
