// SPDX-License-Identifier: BSD-3-Clause
#include "executor/pdgemm.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <complex>
#include <exception>
#include <iterator>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "executor/block_cyclic_product.hpp"
#include "executor/cpu/combine.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/own_communicator.hpp"
#include "executor/mpi/session.hpp"
#include "executor/tiles/tile_view.hpp"

// BLACS of the program, if it has one.
extern "C" {
[[gnu::weak]] void Cblacs_get(int context, int what, int* value);
[[gnu::weak]] void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
[[gnu::weak]] int Cblacs_pnum(int context, int row, int column);
[[gnu::weak]] MPI_Comm Cblacs2sys_handle(int system_context);
}

namespace foretile {

namespace {

constexpr std::size_t kPlansKept = 8;

/// The entries of a descriptor.
enum Entry : std::uint8_t {
  dtype,
  context,
  rows,
  columns,
  row_block,
  column_block,
  row_source,
  column_source,
  ld
};

struct Grid {
  int rows = 0, columns = 0, row = -1, column = -1;
};

/// A grid's ranks, row by row, as numbers of the communicator that BLACS made the grid from.
struct Members {
  MPI_Comm all;
  std::vector<int> ranks;
  friend bool operator==(const Members&, const Members&) = default;
};

Members members_of(int blacs_context, const Grid& grid) {
  int system_context = 0;
  Cblacs_get(blacs_context, 10, &system_context);
  Members members{Cblacs2sys_handle(system_context), {}};
  for (int p = 0; p < grid.rows; ++p) {
    for (int q = 0; q < grid.columns; ++q) members.ranks.push_back(Cblacs_pnum(blacs_context, p, q));
  }
  return members;
}

/// A communicator of the members, in their order.
class GridCommunicator {
 public:
  explicit GridCommunicator(Members members) : members_(std::move(members)) {
    MPI_Group of_all = MPI_GROUP_NULL, of_grid = MPI_GROUP_NULL;
    require_mpi(MPI_Comm_group(members_.all, &of_all), "grid");
    require_mpi(
        MPI_Group_incl(of_all, static_cast<int>(members_.ranks.size()), members_.ranks.data(), &of_grid),
        "grid");
    require_mpi(MPI_Comm_create_group(members_.all, of_grid, 0, &communicator_), "grid");
    require_mpi(MPI_Group_free(&of_grid), "grid");
    require_mpi(MPI_Group_free(&of_all), "grid");
    place_on_node(communicator_);  // for its plans
  }
  ~GridCommunicator() { MPI_Comm_free(&communicator_); }
  GridCommunicator(const GridCommunicator&) = delete;
  GridCommunicator& operator=(const GridCommunicator&) = delete;
  MPI_Comm get() const { return communicator_; }
  const Members& members() const { return members_; }

 private:
  Members members_;
  MPI_Comm communicator_ = MPI_COMM_NULL;
};

/// A plan and what it is for.
struct Kept {
  MPI_Comm communicator;
  std::string arguments;
  std::array<std::int64_t, 3> lds;  // of this rank
  BlockCyclicProduct product;
};

/// What a process keeps between calls. All ranks of a grid have its plans in the same order.
struct Calls {
  std::list<GridCommunicator> grids;
  std::list<Kept> plans;  // the last used first
  MultiplicationReport last;
};

Calls& calls() {
  static Calls state;
  return state;
}

/// MPI_Finalize() begins with the attributes of MPI_COMM_SELF: communicators are freed in time.
void forget_plans_in_finalize() {
  static bool done = false;
  if (done) return;
  done = true;
  int key = MPI_KEYVAL_INVALID;
  const auto forget = [](MPI_Comm, int, void*, void*) {
    calls().plans.clear();
    calls().grids.clear();
    return MPI_SUCCESS;
  };
  require_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, nullptr), "plans");
  require_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "plans");
}

Op op_of(const char* argument, char text) {
  switch (text) {
    case 'N':
    case 'n':
      return Op::none;
    case 'T':
    case 't':
      return Op::transpose;
    case 'C':
    case 'c':
      return Op::conjugate_transpose;
    default:
      throw input_error(argument, fmt::format("'{}'", text), "'N', 'T' or 'C'");
  }
}

/// The part that takes part; op(part) is rows x columns.
BlockCyclicMatrix matrix_of(const char* name, Op op, const int* descriptor, int first_row, int first_column,
                            std::int64_t part_rows, std::int64_t part_columns) {
  if (op != Op::none) std::swap(part_rows, part_columns);
  if (descriptor[Entry::dtype] != 1)
    throw input_error(fmt::format("descriptor of {}: DTYPE_", name), fmt::to_string(descriptor[Entry::dtype]),
                      "1, a dense block-cyclic matrix");
  if (first_row < 1 || first_column < 1)
    throw input_error(fmt::format("first row and column of {}", name),
                      fmt::format("({}, {})", first_row, first_column), "at least 1");
  BlockCyclicMatrix matrix;
  matrix.shape = {descriptor[Entry::rows],       descriptor[Entry::columns],
                  descriptor[Entry::row_block],  descriptor[Entry::column_block],
                  descriptor[Entry::row_source], descriptor[Entry::column_source],
                  descriptor[Entry::ld]};
  matrix.part = {first_row - 1, first_column - 1, part_rows, part_columns};
  return matrix;
}

template <class Number>
struct Arguments {
  const char *transa, *transb;
  std::int64_t m, n, k;
  std::complex<double> alpha, beta;
  const Number *a, *b;
  Number* c;
  int ia, ja, ib, jb, ic, jc;
  const int *desca, *descb, *descc;
};

template <class Number>
BlockCyclicTask task_of(const Arguments<Number>& x, ElementType element) {
  for (const int* descriptor : {x.desca, x.descb}) {
    if (descriptor[Entry::context] != x.descc[Entry::context])
      throw input_error("descriptors", "different BLACS contexts", "the same of A, B and C");
  }
  for (const auto& [name, extent] : {std::pair("m", x.m), {"n", x.n}, {"k", x.k}}) {
    if (extent < 0) throw input_error(name, fmt::to_string(extent), "0 or more");
  }
  BlockCyclicTask task;
  task.element = element;
  task.a_op = op_of("transa", *x.transa);
  task.b_op = op_of("transb", *x.transb);
  task.alpha = x.alpha;
  task.beta = x.beta;
  task.m = x.m;
  task.n = x.n;
  task.k = x.k;
  task.a = matrix_of("A", task.a_op, x.desca, x.ia, x.ja, x.m, x.k);
  task.b = matrix_of("B", task.b_op, x.descb, x.ib, x.jb, x.k, x.n);
  task.c = matrix_of("C", Op::none, x.descc, x.ic, x.jc, x.m, x.n);
  return task;
}

std::string text_of(const BlockCyclicMatrix& matrix) {
  const BlockCyclicShape& s = matrix.shape;
  return fmt::format("{} {} {} {} {} {} {} {} {} {} ", s.rows, s.columns, s.row_block, s.column_block,
                     s.row_source, s.column_source, matrix.part.row, matrix.part.column, matrix.part.rows,
                     matrix.part.columns);
}

/// The same on all ranks where the arguments are: without leading dimensions.
std::string text_of(const Grid& grid, const BlockCyclicTask& task) {
  return fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} ", grid.rows, grid.columns, name_of(task.element),
                     static_cast<int>(task.a_op), static_cast<int>(task.b_op), task.alpha.real(),
                     task.alpha.imag(), task.beta.real(), task.beta.imag(), task.m, task.n, task.k) +
         text_of(task.a) + text_of(task.b) + text_of(task.c);
}

MPI_Comm communicator_for(int blacs_context, const Grid& grid) {
  forget_plans_in_finalize();
  Members members = members_of(blacs_context, grid);
  for (const GridCommunicator& known : calls().grids) {
    if (known.members() == members) return known.get();
  }
  return calls().grids.emplace_back(std::move(members)).get();
}

/// Whether all ranks say yes. Throws InputError when they differ in their arguments.
bool agreed(MPI_Comm communicator, const std::string& arguments, bool yes) {
  const std::uint64_t mine = std::stoull(digest(arguments), nullptr, 16);
  std::array<std::uint64_t, 3> most{mine, ~mine, yes ? 0U : 1U};
  all_reduce(std::span(most), MPI_MAX, communicator, "arguments");
  if (most[0] != ~most[1]) {
    on_all(communicator, [] {
      throw input_error("arguments", "different ones on the ranks of the grid", "the same",
                        "see ScaLAPACK's PDGEMM");
    });
  }
  return most[2] == 0;
}

void require_same_arguments(MPI_Comm communicator, const std::string& arguments) {
  agreed(communicator, arguments, true);
}

/// Ranks may be in several grids: each grid forgets its own plans, the same one on all of its ranks.
void forget_oldest(std::list<Kept>& plans, MPI_Comm communicator) {
  std::size_t of_grid = 0;
  for (auto kept = plans.begin(); kept != plans.end();) {
    const bool forgotten = kept->communicator == communicator && ++of_grid > kPlansKept;
    kept = forgotten ? plans.erase(kept) : std::next(kept);
  }
}

/// The plan for these arguments, from an earlier call where there was one.
Kept& plan_for(MPI_Comm communicator, const Grid& grid, const BlockCyclicTask& task) {
  std::list<Kept>& plans = calls().plans;
  std::string text = text_of(grid, task);
  const std::array lds{task.a.shape.ld, task.b.shape.ld, task.c.shape.ld};
  const auto found = std::find_if(plans.begin(), plans.end(), [&](const Kept& kept) {
    return kept.communicator == communicator && kept.arguments == text;
  });
  if (agreed(communicator, text, found != plans.end() && found->lds == lds)) {
    plans.splice(plans.begin(), plans, found);
    return plans.front();
  }
  if (found != plans.end()) plans.erase(found);
  MultiplicationOptions options;
  options.gpus = GpuChoice::none;  // each kept plan would keep their memory
  plans.push_front({communicator, std::move(text), lds,
                    BlockCyclicProduct(communicator, grid.rows, grid.columns, task, options)});
  forget_oldest(plans, communicator);
  return plans.front();
}

bool has_products(const BlockCyclicTask& task) {
  return task.m > 0 && task.n > 0 && task.k > 0 && task.alpha != 0.0;
}

/// C = beta C where there are no products.
void scale(const Grid& grid, const BlockCyclicTask& task, std::byte* c) {
  if (task.m == 0 || task.n == 0) return;
  BlacsGrid places{grid.rows, grid.columns, grid.row, grid.column, {}};
  for (int rank = 0; rank < grid.rows * grid.columns; ++rank) places.ranks.push_back(Rank::of(rank));
  const BlockCyclic layout(std::move(places), task.c.shape, task.c.part);
  layout.for_each_part({0, 0, task.m, task.n}, [&](const MatrixPart& part) {
    if (part.rank != grid.row * grid.columns + grid.column) return;
    const TileExtents extents{part.where.rows, part.where.columns, task.element.bytes()};
    const TileView view{c + part.at * extents.element_bytes, part.ld};
    for_each_piece(extents, view, view, [&](const std::byte*, std::byte* numbers, std::int64_t bytes) {
      if (task.beta == 0.0) {
        std::fill_n(numbers, bytes, std::byte{0});
      } else {
        scale_tile(task.element, task.beta, bytes / extents.element_bytes, numbers);
      }
    });
  });
}

template <class Number>
void multiply(const Arguments<Number>& x, ElementType element) {
  if (!Cblacs_gridinfo || !Cblacs_get || !Cblacs_pnum || !Cblacs2sys_handle)
    throw input_error("foretile_pdgemm", "no BLACS in the program", "one", "link ScaLAPACK");
  Grid grid;
  Cblacs_gridinfo(x.descc[Entry::context], &grid.rows, &grid.columns, &grid.row, &grid.column);
  if (grid.row < 0) return;
  const MPI_Comm communicator = communicator_for(x.descc[Entry::context], grid);
  BlockCyclicTask task;
  on_all(communicator, [&] { task = task_of(x, element); });
  if (!has_products(task)) {
    require_same_arguments(communicator, text_of(grid, task));  // where they differ, others have products
    return scale(grid, task, reinterpret_cast<std::byte*>(x.c));
  }
  calls().last = plan_for(communicator, grid, task)
                     .product.run(reinterpret_cast<const std::byte*>(x.a),
                                  reinterpret_cast<const std::byte*>(x.b), reinterpret_cast<std::byte*>(x.c));
}

int exit_code_of(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const InputError&) {
    return 2;
  } catch (...) {
    return 1;
  }
}

char letter_of(Precision precision, bool is_complex) {
  const bool is_double = precision == Precision::f64;
  return is_complex ? (is_double ? 'z' : 'c') : (is_double ? 'd' : 's');
}

template <class Number>
void multiply_or_end(const Arguments<Number>& x, Precision precision, bool is_complex) {
  try {
    multiply(x, {precision, is_complex});
  } catch (const OtherRankFailed& other) {
    await_end_of_job(MPI_COMM_WORLD, other.exit_code);
  } catch (...) {
    const std::exception_ptr error = std::current_exception();
    end_job(MPI_COMM_WORLD,
            fmt::format("foretile_p{}gemm: {}", letter_of(precision, is_complex), foretile::text_of(error)),
            exit_code_of(error));
  }
}

}  // namespace

}  // namespace foretile

namespace {

using foretile::Precision;

template <class Number>
void call(Precision precision, bool is_complex, const char* transa, const char* transb, const int* m,
          const int* n, const int* k, const Number* alpha, const Number* a, const int* ia, const int* ja,
          const int* desca, const Number* b, const int* ib, const int* jb, const int* descb,
          const Number* beta, Number* c, const int* ic, const int* jc, const int* descc) {
  const auto number = [&](const Number* x) {
    return std::complex<double>(x[0], is_complex ? static_cast<double>(x[1]) : 0.0);
  };
  foretile::multiply_or_end(
      foretile::Arguments<Number>{transa, transb, *m, *n, *k, number(alpha), number(beta), a, b, c, *ia, *ja,
                                  *ib, *jb, *ic, *jc, desca, descb, descc},
      precision, is_complex);
}

}  // namespace

void foretile_pdgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
                      const double* alpha, const double* a, const int* ia, const int* ja, const int* desca,
                      const double* b, const int* ib, const int* jb, const int* descb, const double* beta,
                      double* c, const int* ic, const int* jc, const int* descc) {
  call(Precision::f64, false, transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic,
       jc, descc);
}

void foretile_psgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
                      const float* alpha, const float* a, const int* ia, const int* ja, const int* desca,
                      const float* b, const int* ib, const int* jb, const int* descb, const float* beta,
                      float* c, const int* ic, const int* jc, const int* descc) {
  call(Precision::f32, false, transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic,
       jc, descc);
}

void foretile_pzgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
                      const double* alpha, const double* a, const int* ia, const int* ja, const int* desca,
                      const double* b, const int* ib, const int* jb, const int* descb, const double* beta,
                      double* c, const int* ic, const int* jc, const int* descc) {
  call(Precision::f64, true, transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic,
       jc, descc);
}

void foretile_pcgemm_(const char* transa, const char* transb, const int* m, const int* n, const int* k,
                      const float* alpha, const float* a, const int* ia, const int* ja, const int* desca,
                      const float* b, const int* ib, const int* jb, const int* descb, const float* beta,
                      float* c, const int* ic, const int* jc, const int* descc) {
  call(Precision::f32, true, transa, transb, m, n, k, alpha, a, ia, ja, desca, b, ib, jb, descb, beta, c, ic,
       jc, descc);
}

void foretile_pgemm_seconds(double* products, double* redistribution) {
  *products = foretile::calls().last.wall_s;
  *redistribution = foretile::calls().last.redistribution_s;
}
