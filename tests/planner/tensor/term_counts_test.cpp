// SPDX-License-Identifier: BSD-3-Clause
#include "planner/tensor/term_counts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/error.hpp"
#include "base/random.hpp"
#include "planner/tensor/program_tensors.hpp"
#include "planner/tensor/program_text.hpp"
#include "planner/tensor/spin_tiles.hpp"
#include "tests/planner/program/example.hpp"

namespace foretile::term_counts_test {
namespace {

Program one_term(const std::string& term) {
  return parse_program(
      "space h = occupied\nspace p = virtual\ntensor a[hp,hp|hp,hp]\ntensor b[hp,hp|hp,hp]\ntensor c[hp|hp]\n"
      "tensor d[hp|hp]\nresult " +
          std::string(term[0] == 'R' ? "R[hp,hp|hp,hp]" : "S[hp|hp]") + "\nt: " + term,
      "test");
}

TermCounts counts_of(const std::string& term, std::int64_t occupied, std::int64_t virtuals,
                     std::int64_t tile) {
  const Program program = one_term(term);
  return count_term(program.terms[0], spin_tiles_of(program, {occupied, virtuals, tile}), "test");
}

/// Two tiles of 3 virtual orbitals and one of 2 occupied ones of each spin. All three indices have one spin,
/// and alpha alone counts: two chains of two products of 3 x 2 x 3.
TEST(TermCounts, OfAProductByHand) {
  const TermCounts counts = counts_of("S[p1,h1] += 1 c[p1,p2] d[p2,h1]", 2, 6, 3);
  EXPECT_EQ(counts.chains, 2);
  EXPECT_EQ(counts.gemms, 4);
  EXPECT_DOUBLE_EQ(counts.flops, 4 * 2 * 3 * 2 * 3);
  EXPECT_EQ(counts.shortest, 2);
  EXPECT_EQ(counts.longest, 2);
}

/// p1 and p2 are antisymmetric, and so are h1 and h2, and the summed p3 and p4; one tile of each spin. Of the
/// result: alpha alpha, alpha alpha, where p3, p4 are alpha alpha: one product. Upper alpha beta, lower alpha
/// beta (beta alpha is its mirror): p3, p4 are alpha beta: one product. Beta alone is left out.
TEST(TermCounts, OfAntisymmetricPairsByHand) {
  const TermCounts counts = counts_of("R[p1,p2,h1,h2] += 1 a[p1,p2,p3,p4] b[p3,p4,h1,h2]", 2, 3, 3);
  EXPECT_EQ(counts.chains, 2);
  EXPECT_EQ(counts.gemms, 2);
  EXPECT_DOUBLE_EQ(counts.flops, 2 * 2.0 * 9 * 4 * 9);
}

/// p1 and p2 come from different operands, so nothing is in order.
TEST(TermCounts, OfIndicesOfDifferentOperandsByHand) {
  const TermCounts counts = counts_of("R[p1,p2,h1,h2] += 1 a[p1,p3,h1,h3] b[p2,h3,h2,p3]", 1, 1, 1);
  // Spins of p1 p2 h1 h2: aaaa; abab, abba, baab, baba. Of p3 h3, with p1 + p3 = h1 + h3 and p2 + h3 = h2 +
  // p3: aaaa: aa, bb. abab: aa, bb. abba (p1 a, h1 b): p3 b, h3 a. baab: p3 a, h3 b. baba: aa, bb.
  EXPECT_EQ(counts.chains, 5);
  EXPECT_EQ(counts.gemms, 8);
  EXPECT_EQ(counts.shortest, 1);
  EXPECT_EQ(counts.longest, 2);
  EXPECT_EQ(counts.lengths, (std::map<std::int64_t, std::int64_t>{{1, 2}, {2, 3}}));
}

/// Where whole numbers would not be exact, and in the sum of terms that are.
TEST(TermCounts, BeyondExactNumbersAreRefused) {
  const auto refusal = [](const auto& count) -> std::string {
    try {
      count();
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(refusal([] { counts_of("S[p1,h1] += 1 c[p1,p2] d[p2,h1]", 1'000'000, 1'000'000, 1); }),
            "test, line 8: found 1e+18 products of tiles, expected at most 9.01e+15; take larger tiles");
  TermCounts large;
  large.gemms = 5'000'000'000'000'000;
  EXPECT_EQ(sum_of({large}, "p.txt").gemms, large.gemms);
  EXPECT_EQ(refusal([&] {
              sum_of({large, large}, "p.txt");
            }),
            "p.txt: found 1e+16 products of tiles, expected at most 9.01e+15; take larger tiles");
}

TEST(TermCounts, OfACopyAreNone) {
  const TermCounts counts = counts_of("S[p1,h1] += 1 c[p1,h1]", 2, 2, 1);
  EXPECT_EQ(counts.chains, 0);
  EXPECT_EQ(counts.gemms, 0);
}

/// Tile by tile: the reference.
class Enumerated {
 public:
  Enumerated(const TensorTerm& term, const std::vector<LabelledTiles>& tiles)
      : term_(term), tiles_(tiles), tile_of_(term.names.size(), kNone), groups_(result_groups(term)) {
    const IndexList summed = summed_indices(term);
    for (const IndexList& group : summed_groups(term)) groups_.push_back(group);
    over(term.result.indices, 0, [&] {
      if (!conserved(term_.result) || beta_alone(term_.result)) return;
      std::int64_t products = 0;
      over(summed, 0, [&] {
        if (!ordered() || !conserved(term_.operands[0]) || !conserved(term_.operands[1])) return;
        ++products;
        double extents = 2;
        for (std::size_t index = 0; index < tile_of_.size(); ++index)
          extents *= static_cast<double>(tiles_of(index).extents[static_cast<std::size_t>(tile_of_[index])]);
        counts.flops += extents;
      });
      if (products == 0) return;
      ++counts.chains;
      counts.gemms += products;
      counts.shortest = counts.chains == 1 ? products : std::min(counts.shortest, products);
      counts.longest = std::max(counts.longest, products);
    });
  }

  TermCounts counts;

 private:
  static constexpr std::int32_t kNone = -1;

  const LabelledTiles& tiles_of(std::size_t index) const { return tiles_[term_.spaces[index]]; }
  template <class Visit>
  void over(const IndexList& indices, std::size_t at, const Visit& visit) {
    if (at == indices.size()) return visit();
    for (std::int32_t tile = 0; tile < tiles_of(indices[at]).count(); ++tile) {
      tile_of_[indices[at]] = tile;
      over(indices, at + 1, visit);
    }
  }
  bool is_beta(std::size_t index) const { return tiles_of(index).is_beta(tile_of_[index]); }
  bool ordered() const {
    return std::ranges::all_of(groups_, [&](const IndexList& group) {
      return std::ranges::is_sorted(group, {}, [&](std::size_t index) { return tile_of_[index]; });
    });
  }
  bool conserved(const IndexedTensor& tensor) const {
    int upper = 0;
    for (std::size_t i = 0; i < tensor.indices.size(); ++i)
      upper += is_beta(tensor.indices[i]) ? (i < tensor.upper ? 1 : -1) : 0;
    return upper == 0;
  }
  bool beta_alone(const IndexedTensor& tensor) const {
    return std::ranges::all_of(tensor.indices, [&](std::size_t index) { return is_beta(index); });
  }

  const TensorTerm& term_;
  const std::vector<LabelledTiles>& tiles_;
  std::vector<std::int32_t> tile_of_;
  std::vector<IndexList> groups_;
};

TEST(TermCounts, AreThoseOfAnEnumeration) {
  const Program program = ccsd_t2();
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Random random(seed);
    const auto tiles =
        spin_tiles_of(program, {random.integer(1, 5), random.integer(1, 7), random.integer(2, 3)});
    for (const ProgramTerm& term : program.terms) {
      if (!term.is_product()) continue;
      SCOPED_TRACE(testing::Message() << term.name << ", seed " << seed);
      const TermCounts expected = Enumerated(tensor_term(term), tiles).counts;
      const TermCounts found = count_term(term, tiles, "test");
      EXPECT_EQ(found.chains, expected.chains);
      EXPECT_EQ(found.gemms, expected.gemms);
      EXPECT_DOUBLE_EQ(found.flops, expected.flops);
      EXPECT_EQ(found.shortest, expected.shortest);
      EXPECT_EQ(found.longest, expected.longest);
    }
  }
}

/// Beta-carotene in 6-31G with frozen cores, tiles of at most 45, as counted beforehand: 24,269 chains,
/// 468,864 products, 2,238 Tflop, and the shares of the five terms with most.
TEST(TermCounts, OfBetaCarotene) {
  const Program program = ccsd_t2();
  const auto tiles = spin_tiles_of(program, {108, 324, 45});
  TermCounts all;
  std::map<std::string, double> flops;
  for (const ProgramTerm& term : program.terms) {
    const TermCounts counts = count_term(term, tiles, "test");
    all.chains += counts.chains;
    all.gemms += counts.gemms;
    all.flops += counts.flops;
    flops[term.name] = counts.flops;
  }
  EXPECT_EQ(all.chains, 24269);
  EXPECT_EQ(all.gemms, 468864);
  EXPECT_NEAR(all.flops / 1e12, 2238, 0.5);
  for (const auto& [name, share] :
       {std::pair("t2_7_3", 30.6), {"t2_7", 30.6}, {"t2_8", 13.9}, {"t2_2_5", 10.2}, {"t2_2_6", 9.1}})
    EXPECT_NEAR(100 * flops.at(name) / all.flops, share, 0.05) << name;
}

}  // namespace
}  // namespace foretile::term_counts_test
