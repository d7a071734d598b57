// SPDX-License-Identifier: BSD-3-Clause
// Wrong arguments of the C interface: one status and one text on all ranks, and right products afterwards.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/random.hpp"
#include "executor/foretile.h"
#include "executor/mpi/own_communicator.hpp"
#include "tests/executor/mpi/run_plan.hpp"

namespace foretile::wrong_arguments_test {
namespace {

/// FORETILE_TEST_WRONG_CALLS=2000 is for a run by hand.
int calls_wanted() {
  const char* const wanted = std::getenv("FORETILE_TEST_WRONG_CALLS");
  return wanted ? static_cast<int>(std::strtol(wanted, nullptr, 10)) : 200;
}

constexpr std::int64_t kM = 7, kN = 5, kK = 4;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

int fill(void*, char, const foretile_tile* tile, void* to) {
  std::fill_n(static_cast<double*>(to), tile->rows * tile->columns, 1.0);
  return 0;
}

/// Refused on all ranks, with the same words, which are none of a command line.
void expect_refused_on_all(foretile_status status) {
  EXPECT_NE(status, FORETILE_OK);
  const std::string text = std::to_string(status) + foretile_message();
  EXPECT_TRUE(is_same_on_all(MPI_COMM_WORLD, std::stoull(digest(text), nullptr, 16), "test")) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  EXPECT_EQ(text.find("--"), std::string::npos) << text;
  EXPECT_GT(text.size(), 10U);
}

/// All of A, B and C on rank 0.
struct Case {
  foretile_problem* problem = nullptr;
  foretile_multiplication* product = nullptr;
  std::array<foretile_layout*, 3> layouts{};
  std::vector<double> a = std::vector<double>(kM * kK, 1), b = std::vector<double>(kK * kN, 1),
                      c = std::vector<double>(kM * kN, -1);

  Case() {
    EXPECT_EQ(foretile_dense_problem(kM, kN, kK, 3, &problem), FORETILE_OK);
    EXPECT_EQ(foretile_create(MPI_COMM_WORLD, problem, nullptr, &product), FORETILE_OK) << foretile_message();
    layouts = {layout(kM, kK), layout(kK, kN), layout(kM, kN)};
  }
  ~Case() {
    for (foretile_layout* one : layouts) foretile_free_layout(one);
    foretile_free(product);
    foretile_free_problem(problem);
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  static foretile_layout* layout(std::int64_t rows, std::int64_t columns, std::int64_t block = 2,
                                 int self = world_rank()) {
    foretile_layout* made = nullptr;
    EXPECT_EQ(foretile_block_cyclic_layout(1, world_size(), nullptr, self, rows, columns, block, block, 0, 0,
                                           rows, &made),
              FORETILE_OK)
        << foretile_message();
    return made;
  }
  foretile_status run(const std::array<foretile_layout*, 3>& given, const void* a_memory,
                      const void* b_memory, void* c_memory) const {
    return foretile_run_in_layouts(product, given[0], a_memory, given[1], b_memory, given[2], c_memory,
                                   nullptr);
  }
  /// This rank's elements of C after a product.
  std::vector<double> product_elements() {
    EXPECT_EQ(run(layouts, a.data(), b.data(), c.data()), FORETILE_OK) << foretile_message();
    const std::int64_t begin = world_rank() * 2, step = std::int64_t{2} * world_size();
    std::int64_t columns = 0;
    for (std::int64_t first = begin; first < kN; first += step)
      columns += std::min<std::int64_t>(2, kN - first);
    return {c.begin(), c.begin() + kM * columns};
  }
  void expect_right() {
    const std::vector<double> own = product_elements();
    EXPECT_EQ(own, std::vector<double>(own.size(), kK));
  }
};

/// `one`: the rank whose arguments are wrong; -1: all.
class WrongCalls {
 public:
  WrongCalls(Case& product, Random& random) : case_(product), random_(random) {}

  void call() {
    const int kind = below(15), one = below(world_size() + 1) - 1;
    SCOPED_TRACE(testing::Message() << "kind " << kind << ", rank " << one);
    wrong_ = one < 0 || one == world_rank();
    switch (kind) {
      case 0:
        return missing_memory();
      case 1:
        return missing_layout();
      case 2:
        return other_blocks();
      case 3:
        return wrong_self();
      case 4:
        return missing_storage();
      case 5:
        return missing_problem();
      case 6:
        return wrong_options();
      case 7:
        return wrong_communicator();
      case 8:
        return wrong_grid();
      case 9:
        return wrong_ld();
      case 10:
        return wrong_problem();
      case 11:
        return other_alpha();
      case 12:
        return other_function();
      case 13:
        return missing_multiplication();
      default:
        return other_product();
    }
  }

 private:
  int below(int end) { return static_cast<int>(random_.integer(0, end - 1)); }

  void missing_memory() {  // rank 0 has elements of each matrix
    const int matrix = below(3);
    wrong_ = wrong_ || world_rank() == 0;
    expect_refused_on_all(case_.run(case_.layouts, wrong_ && matrix == 0 ? nullptr : case_.a.data(),
                                    wrong_ && matrix == 1 ? nullptr : case_.b.data(),
                                    wrong_ && matrix == 2 ? nullptr : case_.c.data()));
  }
  void missing_layout() {
    std::array<foretile_layout*, 3> layouts = case_.layouts;
    const int matrix = below(3);
    if (wrong_) layouts.at(static_cast<std::size_t>(matrix)) = nullptr;
    expect_refused_on_all(case_.run(layouts, case_.a.data(), case_.b.data(), case_.c.data()));
  }
  void with_other_c(foretile_layout* other) {
    std::array<foretile_layout*, 3> layouts = case_.layouts;
    if (other) layouts[2] = other;
    expect_refused_on_all(case_.run(layouts, case_.a.data(), case_.b.data(), case_.c.data()));
    foretile_free_layout(other);
  }
  void other_blocks() {  // on rank 0 alone; on one rank alone other extents
    const bool is_alone = world_size() == 1;
    with_other_c(world_rank() == 0 ? Case::layout(is_alone ? kM + 1 : kM, kN, 1) : nullptr);
  }
  void wrong_self() { with_other_c(wrong_ ? Case::layout(kM, kN, 2, world_rank() + 1) : nullptr); }
  void missing_multiplication() {  // on all ranks: one_rank_test.py has that of one
    const foretile_storage storage{nullptr, nullptr, fill, nullptr};
    expect_refused_on_all(foretile_run(nullptr, &storage, nullptr));
  }
  void missing_storage() {
    const foretile_storage storage{nullptr, nullptr, fill, nullptr};
    expect_refused_on_all(foretile_run(case_.product, wrong_ ? nullptr : &storage, nullptr));
  }
  void missing_problem() {
    foretile_multiplication* made = nullptr;
    const bool is_place = below(2) == 0;
    expect_refused_on_all(foretile_create(MPI_COMM_WORLD, wrong_ && !is_place ? nullptr : case_.problem,
                                          nullptr, wrong_ && is_place ? nullptr : &made));
  }
  void wrong_options() {
    foretile_options options{};
    const int what = below(3), gpus = 4 + below(100);
    if (wrong_ && what == 0) options.gpus = gpus;
    if (wrong_ && what == 1) options.parameters = "strategy";
    if (wrong_ && what == 2) options.platform = "/no/such/platform.toml";
    foretile_multiplication* made = nullptr;
    expect_refused_on_all(foretile_create(MPI_COMM_WORLD, case_.problem, &options, &made));
  }
  void wrong_communicator() {  // on all ranks: one alone cannot tell the others
    foretile_multiplication* made = nullptr;
    expect_refused_on_all(foretile_create(MPI_COMM_NULL, case_.problem, nullptr, &made));
  }
  void wrong_grid() {
    foretile_layout* made = nullptr;
    constexpr std::array<std::array<int, 2>, 4> kGrids{{{65536, 65536}, {0, 3}, {-1, -1}, {46341, 46341}}};
    const auto grid = kGrids.at(static_cast<std::size_t>(below(4)));
    expect_refused_on_all(
        foretile_block_cyclic_layout(grid[0], grid[1], nullptr, 0, kM, kN, 2, 2, 0, 0, kM, &made));
  }
  void wrong_ld() {
    foretile_layout* made = nullptr;
    constexpr std::array<std::int64_t, 4> kLds{0, -1, std::numeric_limits<std::int64_t>::max(),
                                               std::int64_t{1} << 61};
    expect_refused_on_all(foretile_block_cyclic_layout(1, 1, nullptr, 0, kM, kN, 2, 2, 0, 0,
                                                       kLds.at(static_cast<std::size_t>(below(4))), &made));
  }
  void wrong_problem() {
    foretile_problem* made = nullptr;
    std::array<std::int64_t, 4> sizes{kM, kN, kK, 3};
    sizes.at(static_cast<std::size_t>(below(4))) =
        below(2) == 0 ? -1 - below(9) : std::numeric_limits<std::int64_t>::min();
    expect_refused_on_all(foretile_dense_problem(sizes[0], sizes[1], sizes[2], sizes[3], &made));
  }
  void other_alpha() {  // of one rank; alone it is a second imaginary part
    foretile_problem* other = nullptr;
    ASSERT_EQ(foretile_dense_problem(kM, kN, kK, 3, &other), FORETILE_OK);
    const std::array<double, 2> alpha{world_rank() == 0 ? 2.0 : 1.0, 0}, imaginary{1, kNaN};
    if (world_size() == 1) {
      expect_refused_on_all(foretile_set_form(other, 'd', 'N', 'N', imaginary.data(), alpha.data()));
    } else {
      ASSERT_EQ(foretile_set_form(other, 'd', 'N', 'N', alpha.data(), alpha.data()), FORETILE_OK);
      foretile_multiplication* made = nullptr;
      expect_refused_on_all(foretile_create(MPI_COMM_WORLD, other, nullptr, &made));
    }
    foretile_free_problem(other);
  }

  void other_function() {  // on rank 0; alone without `fill`
    const foretile_storage storage{nullptr, nullptr, world_size() > 1 ? fill : nullptr, nullptr};
    expect_refused_on_all(world_rank() == 0
                              ? foretile_run(case_.product, &storage, nullptr)
                              : case_.run(case_.layouts, case_.a.data(), case_.b.data(), case_.c.data()));
  }
  void other_product() {  // on rank 0; alone of other extents
    foretile_problem* problem = nullptr;
    foretile_multiplication* product = nullptr;
    ASSERT_EQ(foretile_dense_problem(kM + 1, kN, kK, 3, &problem), FORETILE_OK);
    ASSERT_EQ(foretile_create(MPI_COMM_WORLD, problem, nullptr, &product), FORETILE_OK) << foretile_message();
    expect_refused_on_all(foretile_run_in_layouts(world_rank() == 0 ? product : case_.product,
                                                  case_.layouts[0], case_.a.data(), case_.layouts[1],
                                                  case_.b.data(), case_.layouts[2], case_.c.data(), nullptr));
    foretile_free(product);
    foretile_free_problem(problem);
  }

  Case& case_;
  Random& random_;
  bool wrong_ = true;
};

TEST(WrongArguments, GiveOneStatusOnAllRanks) {
  const std::uint64_t seed = 1;
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  Case product;
  WrongCalls wrong(product, random);
  const int calls = calls_wanted();
  for (int number = 0; number < calls && !HasFailure(); ++number) {
    SCOPED_TRACE(testing::Message() << "call " << number);
    wrong.call();
    if (number % 20 == 0) product.expect_right();
  }
  product.expect_right();
}

TEST(WrongArguments, AnIntercommunicatorIsRefused) {
  if (world_size() < 2) GTEST_SKIP() << "needs two groups";
  MPI_Comm half = MPI_COMM_NULL, between = MPI_COMM_NULL;
  const int is_second = world_rank() > 0 ? 1 : 0;
  MPI_Comm_split(MPI_COMM_WORLD, is_second, world_rank(), &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_second ? 0 : 1, 1, &between);
  Case product;
  foretile_multiplication* made = nullptr;
  expect_refused_on_all(foretile_create(between, product.problem, nullptr, &made));
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
  product.expect_right();
}

/// MPI has some 2,000 communicators. Objects of the library on one of the program's share one of them.
TEST(WrongArguments, CommunicatorsAreSharedAndNoneLeftIsAStatus) {
  Case product;
  {
    std::vector<OwnCommunicator> many;
    while (many.size() < 10000) many.emplace_back(MPI_COMM_WORLD);
    EXPECT_EQ(many.back().get(), many.front().get());
  }
  MPI_Comm fresh = MPI_COMM_NULL, own = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &fresh), MPI_SUCCESS);
  ASSERT_EQ(MPI_Comm_dup(MPI_COMM_SELF, &own), MPI_SUCCESS);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  std::vector<MPI_Comm> taken{own};
  for (MPI_Comm next = MPI_COMM_NULL; taken.size() < 10000 && MPI_Comm_dup(own, &next) == MPI_SUCCESS;)
    taken.push_back(next);
  foretile_multiplication* made = nullptr;
  expect_refused_on_all(foretile_create(fresh, product.problem, nullptr, &made));
  // Room for the library's, perhaps not for what it asks of it: either is one status on all.
  MPI_Comm_free(&taken.back());
  taken.pop_back();
  const foretile_status status = foretile_create(fresh, product.problem, nullptr, &made);
  EXPECT_TRUE(is_same_on_all(MPI_COMM_WORLD, static_cast<std::uint64_t>(status), "test"));
  if (status == FORETILE_OK) foretile_free(made);
  for (MPI_Comm& one : taken) MPI_Comm_free(&one);
  ASSERT_EQ(foretile_create(fresh, product.problem, nullptr, &made), FORETILE_OK) << foretile_message();
  foretile_free(made);
  MPI_Comm_free(&fresh);
  product.expect_right();
}

/// As in BLAS, NaN is a number: it gives NaN.
TEST(WrongArguments, AlphaMayBeNaN) {
  Case product;
  const std::array<double, 2> alpha{kNaN, 0}, beta{0, 0};
  ASSERT_EQ(foretile_set_form(product.problem, 'd', 'N', 'N', alpha.data(), beta.data()), FORETILE_OK);
  for (const int verify : {0, 1}) {
    foretile_free(product.product);
    foretile_options options{};
    options.verify = verify;
    ASSERT_EQ(foretile_create(MPI_COMM_WORLD, product.problem, &options, &product.product), FORETILE_OK)
        << foretile_message();
    if (verify == 0) {
      for (const double element : product.product_elements()) EXPECT_TRUE(std::isnan(element));
    } else {
      expect_refused_on_all(
          product.run(product.layouts, product.a.data(), product.b.data(), product.c.data()));
    }
  }
}

}  // namespace
}  // namespace foretile::wrong_arguments_test
