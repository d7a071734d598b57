// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/plain_program.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "planner/tensor/fused_program.hpp"
#include "planner/tensor/program_text.hpp"

namespace foretile::plain_program_test {
namespace {

/// One element of each tensor.
class OneNumber final : public ProgramNumbers {
 public:
  explicit OneNumber(std::map<std::string, double> numbers) : numbers_(std::move(numbers)) {}
  void fill(const ProgramTensor& tensor, const std::vector<std::int64_t>& /*begins*/,
            const std::vector<std::int64_t>& /*extents*/, double* to) const override {
    *to = numbers_.at(tensor.name);
  }

 private:
  std::map<std::string, double> numbers_;
};

/// By name. Each space has one spatial orbital.
std::map<std::string, PlainTensor> evaluated(const std::string& terms,
                                             const std::map<std::string, double>& given) {
  std::string text = "orbitals = spatial\nspace h = occupied\nspace p = virtual\n";
  for (const auto& [name, number] : given) text += "tensor " + name + "[p|p]\n";
  const Program program = parse_program(text + "result r[p|p]\n" + terms, "test");
  const SpinOrbitals orbitals(FusedProgram(program, {1, 1, 1}, "test").tiles());
  const std::vector<PlainTensor> all = plain_program(program, orbitals, OneNumber(given));
  std::map<std::string, PlainTensor> by_name;
  const std::vector<ProgramTensor> tensors = tensors_of(program);
  for (std::size_t tensor = 0; tensor < tensors.size(); ++tensor) by_name[tensors[tensor].name] = all[tensor];
  return by_name;
}

/// t = 3 * 0.5 - 3 * 0.5 and r = t * 4: 0, of |3 * 0.5| + |3 * 0.5| = 3 and then 3 * 4 = 12.
TEST(PlainProgram, MeasuresErrorsByWhatAnIntermediateHadBeforeItCancelled) {
  const auto all = evaluated(
      "t1: t[p1,p2] += a[p1,p3] b[p3,p2]\nt2: t[p1,p2] += -1 a[p1,p3] d[p3,p2]\n"
      "r1: r[p1,p2] += t[p1,p3] c[p3,p2]\n",
      {{"a", 3}, {"b", 0.5}, {"c", 4}, {"d", 0.5}});
  EXPECT_EQ(all.at("a").magnitudes[0], 0);
  EXPECT_EQ(all.at("t").values[0], 0);
  EXPECT_DOUBLE_EQ(all.at("t").magnitudes[0], 3);
  EXPECT_EQ(all.at("r").values[0], 0);
  EXPECT_DOUBLE_EQ(all.at("r").magnitudes[0], 12);
  EXPECT_LE(largest_error({4 * 1e-16}, all.at("r")), kLargestError);  // t is 1e-16 where its sums are rounded
  EXPECT_GT(largest_error({13e-12}, all.at("r")), kLargestError);
  EXPECT_TRUE(std::isnan(largest_error({std::numeric_limits<double>::quiet_NaN()}, all.at("r"))));
}

/// s = 2 * 2 - 2 * 2, too: of the errors of t (3) and s (8) the product has 1e-12 * 24.
TEST(PlainProgram, MeasuresErrorsOfAProductOfTwoThatCancel) {
  const auto all = evaluated(
      "t1: t[p1,p2] += a[p1,p3] b[p3,p2]\nt2: t[p1,p2] += -1 a[p1,p3] d[p3,p2]\n"
      "s1: s[p1,p2] += c[p1,p3] c[p3,p2]\ns2: s[p1,p2] += -1 c[p1,p3] c[p3,p2]\n"
      "r1: r[p1,p2] += t[p1,p3] s[p3,p2]\n",
      {{"a", 3}, {"b", 0.5}, {"c", 2}, {"d", 0.5}});
  EXPECT_DOUBLE_EQ(all.at("s").magnitudes[0], 8);
  EXPECT_DOUBLE_EQ(all.at("r").magnitudes[0], kLargestError * 24);
}

/// t = 3 * 0.5, r = -2 t * 4 - 12: -24, of t with its error, |1.5| + 1.5 = 3, times 8, and 12.
TEST(PlainProgram, AddsTheErrorsOfOperands) {
  const auto all = evaluated(
      "t1: t[p1,p2] += a[p1,p3] b[p3,p2]\nr1: r[p1,p2] += -2 t[p1,p3] c[p3,p2]\n"
      "r2: r[p1,p2] += -1 e[p1,p2]\n",
      {{"a", 3}, {"b", 0.5}, {"c", 4}, {"e", 12}});
  EXPECT_EQ(all.at("r").values[0], -24);
  EXPECT_DOUBLE_EQ(all.at("r").magnitudes[0], 3 * 8 + 12);
}

}  // namespace
}  // namespace foretile::plain_program_test
