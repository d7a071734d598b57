// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/term_text.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace foretile::term_text_test {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_term(text, "the term");
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing refused";
}

std::vector<std::string> names(const TextTensor& tensor) {
  std::vector<std::string> list;
  for (const TextIndex& index : tensor.indices) list.push_back(index.name);
  return list;
}

TEST(TermText, IsRead) {
  const TermText term = parse_term("R[a,b|i,j] += -0.5 V[a,b,c,d] T[c,d|i,j]", "t");
  EXPECT_TRUE(term.accumulate);
  EXPECT_EQ(term.factor, -0.5);
  EXPECT_EQ(term.result.upper, 2U);
  EXPECT_FALSE(term.operands[0].upper);
  EXPECT_EQ(names(term.operands[1]), (std::vector<std::string>{"c", "d", "i", "j"}));
}

TEST(TermText, NeedsNoCommas) {
  const TermText term = parse_term("R[p1p2]=V[p1 q]T[q,p2]", "t");
  EXPECT_FALSE(term.accumulate);
  EXPECT_EQ(term.factor, 1);
  EXPECT_EQ(names(term.result), (std::vector<std::string>{"p1", "p2"}));
  EXPECT_EQ(parse_indices("ab3c", "t"), (std::vector<std::string>{"a", "b3", "c"}));
}

TEST(TermText, IsReadAsItIsWritten) {
  for (const char* text :
       {"R[a,b|i,j] += -0.5 V[a,b|c,d] T[c,d|i,j]", "R[] = V[a] T[a]", "R[a1|] = V[a1,b2] T[|b2]"})
    EXPECT_EQ(written(parse_term(text, "t")), text);
}

TEST(TermText, SaysWhatIsWrong) {
  EXPECT_EQ(refusal("R[a] = V[a,b] T[b] # x"),
            "the term, column 20: found #, expected the end of the line: a product has two tensors");
  EXPECT_EQ(refusal("R[a] - V[a,b] T[b]"), "the term, column 6: found -, expected \"+=\" or \"=\"");
  EXPECT_EQ(refusal("R[a] += V[a,b] T[b] T[b]"),
            "the term, column 21: found T, expected the end of the line: a product has two tensors");
  EXPECT_EQ(refusal("R[a] += V[a,b]"),
            "the term, column 15: found the end of the line, expected a tensor, as V[a,b|c,d]");
  EXPECT_EQ(refusal("R[a,a] += V[a,b] T[b]"),
            "the term, column 5: found a again, expected each index once in a tensor");
  EXPECT_EQ(refusal("R[a] += V[a,b,c] T[b]"),
            "the term, column 15: found c in V alone, expected each index in two of the three tensors; sum "
            "over it before, or name it as in another tensor");
  EXPECT_EQ(refusal("R[a,b] += V[a,b] T[a]"),
            "the term, column 3: found a in all three tensors, expected each index in two of them; make a "
            "term of each value of this index");
  EXPECT_EQ(refusal("R[a,b,c,d,e,f,g,h,i] += V[a] T[a]"),
            "the term, column 1: found 9 indices of R, expected at most 8");
  EXPECT_EQ(refusal("R[a;b] += V[a] T[b]"),
            "the term, column 4: found ;b, expected an index: a letter, and digits behind it");
  EXPECT_EQ(refusal("R[a|b|c] += V[a] T[b]"),
            "the term, column 6: found |c, expected an index: a letter, and digits behind it");
  EXPECT_EQ(
      refusal("R[a"),
      "the term, column 4: found the end of the line, expected an index: a letter, and digits behind it");
}

}  // namespace
}  // namespace foretile::term_text_test
