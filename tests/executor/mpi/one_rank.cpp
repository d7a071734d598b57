// SPDX-License-Identifier: BSD-3-Clause
// Calls of the library in which the last rank alone lacks memory or gives no multiplication. Memory fails by
// failing_new.so, which is preloaded.
//   one_rank create       at each request for memory in foretile_create(): one status on all ranks
//   one_rank run N        at request N of runs of a multiplication
//   one_rank program N    at request N of a program's run
//   one_rank gathered N   at request N of the gathering of its tensors
//   one_rank no_handle    NULL, where the library has one communicator: one status on all ranks
//   one_rank several      NULL, where it has two: the rank does not wait
//   one_rank refused      NULL, after a communicator that was refused: the rank does not wait
// N = 0: none fails; rank 0 prints how many there were on the last rank. Ends with 0 where all is as the
// documentation says, with 1 where calls failed, with 3 where something is wrong.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "executor/foretile.h"
#include "executor/mpi/own_communicator.hpp"
#include "executor/program/program_run.hpp"
#include "planner/tensor/program_text.hpp"

namespace {

constexpr int kFailed = 1, kWrong = 3;
constexpr std::int64_t kExtent = 6;

int rank() {
  return foretile::rank_in(MPI_COMM_WORLD);
}

bool is_last() {
  return rank() == foretile::size_of(MPI_COMM_WORLD) - 1;
}

/// Rank 0 alone takes memory to gather; elsewhere it is the last rank that lacks it.
bool rank_0_fails = false;

bool fails_here() {
  return rank_0_fails ? rank() == 0 : is_last();
}

/// On the rank that fails request `number` from here does. Returns how many there were, on that rank.
long fail_request(long number) {
  using Function = long (*)(long);
  static const auto function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, "foretile_fail_request"));
  return fails_here() && function ? function(number) : 0;
}

/// What the rank that fails has.
long of_failing(long number) {
  return foretile::all_reduced(static_cast<std::int64_t>(fails_here() ? number : 0), MPI_SUM, MPI_COMM_WORLD,
                               "test");
}

bool is_right(bool condition, const char* what) {
  if (!condition) std::fprintf(stderr, "rank %d: %s: %s\n", rank(), what, foretile_message());
  return condition;
}

/// All ranks have it, with the same text.
bool is_status_of_all(foretile_status status, foretile_status expected) {
  const std::string text = std::to_string(status) + foretile_message();
  const bool same =
      foretile::is_same_on_all(MPI_COMM_WORLD, std::stoull(foretile::digest(text), nullptr, 16), "test");
  return is_right(same && status == expected, same ? "another status" : "other statuses or texts");
}

/// All of A, B and C on rank 0, in one tile; products of ones.
struct Product {
  explicit Product(MPI_Comm communicator, const foretile_options& options = {}) {
    const int owner = 0;
    const std::int64_t at = 0;
    if (foretile_dense_problem(kExtent, kExtent, kExtent, 2, &problem) != FORETILE_OK ||
        foretile_create(communicator, problem, &options, &made) != FORETILE_OK ||
        foretile_table_layout(&kExtent, 1, &kExtent, 1, &owner, &at, &kExtent, rank(), &layout) !=
            FORETILE_OK)
      std::fprintf(stderr, "rank %d: %s\n", rank(), foretile_message());
  }
  ~Product() {
    foretile_free_layout(layout);
    foretile_free(made);
    foretile_free_problem(problem);
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  static int fill(void*, char, const foretile_tile* tile, void* to) {
    std::fill_n(static_cast<double*>(to), tile->rows * tile->columns, 1.0);
    return 0;
  }
  foretile_status run_on_tiles(foretile_multiplication* multiplication) const {
    const foretile_storage storage{nullptr, nullptr, fill, nullptr};
    return foretile_run(multiplication, &storage, nullptr);
  }
  foretile_status run_in_layouts(foretile_multiplication* multiplication) {
    return foretile_run_in_layouts(multiplication, layout, a.data(), layout, b.data(), layout, c.data(),
                                   nullptr);
  }
  bool runs() {
    const bool done = run_on_tiles(made) == FORETILE_OK && run_in_layouts(made) == FORETILE_OK;
    const double expected = rank() == 0 ? kExtent : -1;
    return is_right(done && std::ranges::count(c, expected) == kExtent * kExtent, "a wrong product");
  }

  foretile_problem* problem = nullptr;
  foretile_multiplication* made = nullptr;
  foretile_layout* layout = nullptr;
  std::vector<double> a = std::vector<double>(kExtent * kExtent, 1), b = a,
                      c = std::vector<double>(kExtent * kExtent, -1);
};

/// On a new communicator each time, for which the library makes its own.
bool create_without(const foretile_problem* problem, long request, long& used) {
  MPI_Comm fresh = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  foretile_multiplication* made = nullptr;
  const long before = fail_request(request);
  const foretile_status status = foretile_create(fresh, problem, nullptr, &made);
  used = of_failing(fail_request(0) - before);
  const bool fails = request > 0 && request <= used;
  const bool right =
      is_status_of_all(status, fails ? FORETILE_FAILED : FORETILE_OK) && (made == nullptr) == fails;
  foretile_free(made);
  MPI_Comm_free(&fresh);
  return right;
}

bool create_gives_one_status() {
  foretile_problem* problem = nullptr;
  foretile_dense_problem(kExtent, kExtent, kExtent, 2, &problem);
  long all = 0, used = 0;
  bool right = create_without(problem, 0, all);
  const long ends = 40;  // where each is tried: what surrounds the planning
  for (long request = 1; right && request <= all;
       request += request < ends || request > all - ends ? 1 : 149) {
    right = create_without(problem, request, used);
    if (!right) std::fprintf(stderr, "rank %d: request %ld of %ld\n", rank(), request, all);
  }
  right = right && create_without(problem, 0, used);
  foretile_free_problem(problem);
  if (rank() == 0) std::printf("%ld\n", all);
  return right;
}

int run_without(long request) {
  foretile_options options{};
  options.verify = options.check_finite = 1;
  Product product(MPI_COMM_WORLD, options);
  const long before = fail_request(request);
  const bool right = product.run_on_tiles(product.made) == FORETILE_OK &&
                     product.run_in_layouts(product.made) == FORETILE_OK;
  const long used = of_failing(fail_request(0) - before);
  if (request == 0 && rank() == 0) std::printf("%ld\n", used);
  return right ? 0 : kFailed;
}

int run_program_without(const std::string& where, long request) {
  using namespace foretile;
  const Program program = load_program(find_data("examples/ccd_closed_shell.txt"));
  FusedProgram fused(program, {3, 5, 2}, "test");
  const SpinOrbitals orbitals(fused.tiles());
  const SeededNumbers numbers(orbitals, 7);
  long before = 0, used = 0;
  rank_0_fails = where == "gathered";
  try {
    MultiplicationOptions options;
    options.bind = false;
    ProgramRun run(MPI_COMM_WORLD, fused, options);
    before = fail_request(where == "program" ? request : 0);
    run.run(numbers, true);
    if (where == "gathered") before = fail_request(request);
    if (where == "program") used = fail_request(0) - before;
    for (std::size_t tensor = 0; tensor < fused.tensors().size(); ++tensor) run.gathered(tensor);
    if (where == "gathered") used = fail_request(0) - before;
  } catch (...) {
    std::fprintf(stderr, "rank %d: %s\n", rank(), text_of(std::current_exception()).c_str());
    return kFailed;
  }
  used = of_failing(used);
  if (request == 0 && rank() == 0) std::printf("%ld\n", used);
  return 0;
}

bool no_handle_gives_one_status() {
  Product product(MPI_COMM_WORLD);
  bool right = true;
  for (const bool all : {false, true, false}) {
    foretile_multiplication* const given = all || is_last() ? nullptr : product.made;
    right = is_status_of_all(product.run_on_tiles(given), FORETILE_WRONG_INPUT) &&
            is_status_of_all(product.run_in_layouts(given), FORETILE_WRONG_INPUT) && product.runs() && right;
  }
  return right;
}

/// The other ranks do not call meanwhile.
bool the_last_rank_does_not_wait(Product& product) {
  const bool right = !is_last() || is_right(product.run_on_tiles(nullptr) == FORETILE_WRONG_INPUT &&
                                                product.run_in_layouts(nullptr) == FORETILE_WRONG_INPUT,
                                            "another status");
  MPI_Barrier(MPI_COMM_WORLD);
  return product.runs() && right;
}

bool several_are_not_guessed() {
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  bool right = true;
  {
    Product product(MPI_COMM_WORLD), of_other(other);
    right = the_last_rank_does_not_wait(product) && of_other.runs();
  }
  MPI_Comm_free(&other);
  return right;
}

bool nothing_is_guessed_after_a_refusal() {
  Product product(MPI_COMM_WORLD);
  foretile_multiplication* made = nullptr;
  const bool refused = !is_last() || is_right(foretile_create(MPI_COMM_NULL, product.problem, nullptr,
                                                              &made) == FORETILE_WRONG_INPUT,
                                              "another status");
  return the_last_rank_does_not_wait(product) && refused;
}

int result_of(const std::string& what, long request) {
  if (what == "run") return run_without(request);
  if (what == "program" || what == "gathered") return run_program_without(what, request);
  const bool right = what == "create"      ? create_gives_one_status()
                     : what == "no_handle" ? no_handle_gives_one_status()
                     : what == "several"   ? several_are_not_guessed()
                     : what == "refused"   ? nothing_is_guessed_after_a_refusal()
                                           : false;
  return right ? 0 : kWrong;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int result = result_of(argc > 1 ? argv[1] : "", argc > 2 ? std::strtol(argv[2], nullptr, 10) : 0);
  MPI_Finalize();
  return result;
}
