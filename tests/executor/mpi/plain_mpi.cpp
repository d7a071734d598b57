// SPDX-License-Identifier: BSD-3-Clause
// A program that starts MPI by MPI_Init(), without threads, as those with ScaLAPACK do.
//   plain_mpi products          two products by foretile_pdgemm_()
//   plain_mpi alpha|m|k         one, in which rank 0 alone gives 0 for that argument
//   plain_mpi letter|blocks     one, in which all ranks give a wrong argument
//   plain_mpi a_letter          one, in which the last rank alone does
//   plain_mpi finalized         calls of the C interface after MPI_Finalize()
//   plain_mpi single|funneled   as products, started by MPI_Init_thread() for that
//   plain_mpi other_thread      calls of another thread, for which MPI was not started
// Ends with 0 where all is as the documentation says.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "executor/foretile.h"
#include "executor/pdgemm.h"
#include "tests/executor/mpi/blacs_stand_in.hpp"

namespace {

constexpr int kM = 7, kN = 5, kK = 4, kBlock = 2;

int rank() {
  int number = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  return number;
}

int ranks() {
  int number = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &number);
  return number;
}

/// Of a grid of one row.
int own_columns() {
  int own = 0;
  for (int column = 0; column < kN; ++column) own += column / kBlock % ranks() == rank() ? 1 : 0;
  return own;
}

std::array<int, 9> descriptor(int rows, int columns) {
  return {1, 0, rows, columns, kBlock, kBlock, 0, 0, rows};
}

/// C = A B of ones. `wrong`: the argument that is not right on rank 0, on all ranks or on the last.
bool product_is_right(const std::string& wrong) {
  foretile::blacs_stand_in() = {1, ranks()};
  const auto unless_zero = [&](const char* name, int number) {
    return wrong == name && rank() == 0 ? 0 : number;
  };
  const bool wrong_letter = wrong == "letter" || (wrong == "a_letter" && rank() == ranks() - 1);
  const int m = unless_zero("m", kM), n = kN, k = unless_zero("k", kK), one = 1;
  const double alpha = unless_zero("alpha", 1), beta = 0;
  auto a_layout = descriptor(kM, kK);
  if (wrong == "blocks") a_layout[4] = 0;
  const auto b_layout = descriptor(kK, kN), c_layout = descriptor(kM, kN);
  const std::vector<double> a(kM * kK, 1), b(kK * kN, 1);
  std::vector<double> c(kM * kN, -1);
  foretile_pdgemm_(wrong_letter ? "X" : "N", "N", &m, &n, &k, &alpha, a.data(), &one, &one, a_layout.data(),
                   b.data(), &one, &one, b_layout.data(), &beta, c.data(), &one, &one, c_layout.data());
  const auto own = std::ptrdiff_t{kM} * own_columns();
  return std::all_of(c.begin(), c.begin() + own, [](double x) { return x == kK; }) &&
         std::all_of(c.begin() + own, c.end(), [](double x) { return x == -1; });
}

bool is_refused(foretile_status status, const char* text) {
  const bool right =
      status == FORETILE_WRONG_INPUT && std::string(foretile_message()).find(text) != std::string::npos;
  if (!right) std::fprintf(stderr, "status %d: %s\n", static_cast<int>(status), foretile_message());
  return right;
}

bool calls_after_the_end_are_refused() {
  foretile_problem* problem = nullptr;
  foretile_multiplication *product = nullptr, *other = nullptr;
  foretile_layout* layout = nullptr;
  const std::int64_t extent = 6, at = 0;
  const int owner = 0;
  std::vector<double> numbers(36, 1);
  if (foretile_dense_problem(6, 6, 6, 0, &problem) != FORETILE_OK ||
      foretile_create(MPI_COMM_WORLD, problem, nullptr, &product) != FORETILE_OK ||
      foretile_table_layout(&extent, 1, &extent, 1, &owner, &at, &extent, rank(), &layout) != FORETILE_OK)
    return false;
  MPI_Finalize();
  const foretile_storage storage{nullptr, nullptr, nullptr, nullptr};
  const char* const text = "MPI: found finalized";
  const bool right = is_refused(foretile_create(MPI_COMM_WORLD, problem, nullptr, &other), text) &&
                     is_refused(foretile_run(product, &storage, nullptr), text) &&
                     is_refused(foretile_run_in_layouts(product, layout, numbers.data(), layout,
                                                        numbers.data(), layout, numbers.data(), nullptr),
                                text);
  foretile_free_layout(layout);
  foretile_free(product);
  foretile_free_problem(problem);
  return right;
}

bool calls_of_another_thread_are_refused() {
  foretile_problem* problem = nullptr;
  foretile_multiplication* product = nullptr;
  bool right = foretile_dense_problem(6, 6, 6, 0, &problem) == FORETILE_OK;
  std::thread([&] {
    right = right && is_refused(foretile_create(MPI_COMM_WORLD, problem, nullptr, &product),
                                "MPI: found another thread than the one that initialized it");
  }).join();
  foretile_free_problem(problem);
  return right;
}

void start_mpi(const std::string& what) {
  if (what != "single" && what != "funneled") {
    MPI_Init(nullptr, nullptr);
    return;
  }
  int given = 0;
  MPI_Init_thread(nullptr, nullptr, what == "single" ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED, &given);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "products";
  start_mpi(what);
  if (what == "finalized") return calls_after_the_end_are_refused() ? 0 : 1;
  const bool right = what == "other_thread" ? calls_of_another_thread_are_refused()
                                            : product_is_right(what) && product_is_right(what);
  MPI_Finalize();
  return right ? 0 : 1;
}
