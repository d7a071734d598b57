// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/c_status.hpp"
#include "base/error.hpp"
#include "base/files.hpp"
#include "executor/foretile.h"
#include "executor/layout/block_cyclic.hpp"
#include "executor/layout/owner_table.hpp"
#include "executor/mpi/own_communicator.hpp"
#include "executor/mpi/session.hpp"
#include "executor/multiplication.hpp"
#include "executor/tiles/tile_extents.hpp"
#include "planner/c_work.hpp"
#include "planner/problem/kinds/dense.hpp"
#include "planner/problem/kinds/problem.hpp"
#include "planner/problem/limits.hpp"

struct foretile_problem {
  foretile::Contraction contraction;
};

struct foretile_multiplication {
  std::optional<foretile::Multiplication> multiplication;  // always there, but while it is made
};

struct foretile_layout {
  std::shared_ptr<const foretile::Layout> layout;
};

namespace foretile {

namespace {

Matrix matrix_named(char name) {
  switch (name) {
    case 'A':
      return Matrix::a;
    case 'B':
      return Matrix::b;
    case 'C':
      return Matrix::c;
    default:
      throw input_error("matrix", fmt::format("'{}'", name), "'A', 'B' or 'C'");
  }
}

char name_of(Matrix matrix) {
  return "ABC"[static_cast<int>(matrix)];
}

Op op_named(char name) {
  switch (name) {
    case 'N':
      return Op::none;
    case 'T':
      return Op::transpose;
    case 'C':
      return Op::conjugate_transpose;
    default:
      throw input_error("operation", fmt::format("'{}'", name), "'N', 'T' or 'C'");
  }
}

ElementType type_named(char name) {
  switch (name) {
    case 'd':
      return {Precision::f64, false};
    case 's':
      return {Precision::f32, false};
    case 'z':
      return {Precision::f64, true};
    case 'c':
      return {Precision::f32, true};
    default:
      throw input_error("type", fmt::format("'{}'", name), "'d', 's', 'z' or 'c'");
  }
}

/// "KEY=VALUE KEY=VALUE".
Settings settings_of(const char* text) {
  Settings settings;
  std::istringstream words(text ? text : "");
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      throw input_error("parameters", fmt::format("'{}'", word), "KEY=VALUE, separated by spaces");
    settings[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return settings;
}

foretile_tile described_tile(const Multiplication& product, TileRef tile) {
  const Shape& shape = shape_of(product.contraction(), tile.matrix);
  const TileExtents extents = extents_of(product.contraction(), tile);
  return {tile.id,      shape.row_of(tile.id), shape.column_of(tile.id),
          extents.rows, extents.columns,       product.owner(tile)};
}

/// The caller's functions.
class CallbackStorage final : public TileStorage {
 public:
  CallbackStorage(const Multiplication& product, const foretile_storage& functions)
      : product_(product), functions_(functions) {}

  std::optional<TileView> in_place(TileRef tile) const override {
    if (!functions_.in_place) return std::nullopt;
    const foretile_tile description = described_tile(product_, tile);
    void* data = nullptr;
    std::int64_t ld = 0;
    require("in_place", tile, [&] {
      return functions_.in_place(functions_.context, name_of(tile.matrix), &description, &data, &ld);
    });
    if (!data) return std::nullopt;
    if (ld < description.rows)
      throw input_error(place(tile), fmt::format("leading dimension {}", ld),
                        fmt::format("at least {}, its rows", description.rows));
    if (ld > kMostElements / std::max<std::int64_t>(1, description.columns))
      throw input_error(place(tile), fmt::format("leading dimension {}", ld), "places below 2^63 bytes");
    return TileView{static_cast<std::byte*>(data), std::max<std::int64_t>(1, ld)};
  }
  void fill(TileRef tile, std::byte* to) const override {
    if (!functions_.fill)
      throw input_error(place(tile), "neither in place nor a function `fill`", "one of both");
    const foretile_tile description = described_tile(product_, tile);
    require("fill", tile,
            [&] { return functions_.fill(functions_.context, name_of(tile.matrix), &description, to); });
  }
  void take(TileId id, TileView numbers) const override {
    if (!functions_.take) return;
    const TileRef tile{Matrix::c, id};
    const foretile_tile description = described_tile(product_, tile);
    require("take", tile,
            [&] { return functions_.take(functions_.context, &description, numbers.data, numbers.ld); });
  }

 private:
  std::string place(TileRef tile) const {
    const Shape& shape = shape_of(product_.contraction(), tile.matrix);
    return fmt::format("tile {}({}, {})", name_of(tile.matrix), shape.row_of(tile.id),
                       shape.column_of(tile.id));
  }
  template <class Call>
  void require(const char* function, TileRef tile, const Call& call) const {
    int returned = 0;
    try {
      returned = call();
    } catch (...) {  // of a caller in C++, on a thread of foretile's
      throw WorkError(fmt::format("{}: `{}` threw: {}", place(tile), function,
                                  foretile::text_of(std::current_exception())));
    }
    if (returned != 0) throw WorkError(fmt::format("{}: `{}` returned {}", place(tile), function, returned));
  }

  const Multiplication& product_;
  const foretile_storage& functions_;
};

void write_report(const MultiplicationReport& from, foretile_report* to) {
  if (!to) return;
  *to = {from.wall_s, from.redistribution_s, from.flops, 0, 0};
  if (from.check) {
    to->relative_error = from.check->relative_error;
    to->allowed_error = from.check->allowed_error;
  }
}

void finish(const MultiplicationReport& report, foretile_report* to) {
  write_report(report, to);
  if (report.check) require_passed(*report.check);
}

GpuChoice gpus_named(int gpus) {
  switch (gpus) {
    case FORETILE_GPUS_AUTOMATIC:
      return GpuChoice::automatic;
    case FORETILE_GPUS_CUDA:
      return GpuChoice::cuda;
    case FORETILE_GPUS_STAND_IN:
      return GpuChoice::stand_in;
    case FORETILE_GPUS_NONE:
      return GpuChoice::none;
  }
  throw input_error("gpus", fmt::to_string(gpus), "one of foretile_gpus");
}

MultiplicationOptions options_of(const foretile_options& given) {
  MultiplicationOptions options;
  if (given.platform) options.platform = given.platform;
  options.parameters = settings_of(given.parameters);
  options.gpus = gpus_named(given.gpus);
  options.verify = given.verify != 0;
  options.check_finite = given.check_finite != 0;
  options.bind = given.unbound == 0;
  return options;
}

void make_problem(Contraction contraction, foretile_problem** problem) {
  *problem = new foretile_problem{std::move(contraction)};
}

/// As guarded(), but an error of another rank is this rank's, too: one status and text on all ranks.
template <class Call>
foretile_status guarded_on_all(const Call& call) {
  return guarded([&] {
    try {
      call();
    } catch (const OtherRankFailed& other) {
      throw_as_own(other);
    }
  });
}

/// The ranks agree on whether each gave the pointers of the call. A rank without a multiplication joins them
/// where it knows their communicator.
template <class... Pointers>
void require_given_on_all(const char* function, const foretile_multiplication* product,
                          const Pointers*... others) {
  const MPI_Comm communicator = product ? product->multiplication->communicator() : only_own_communicator();
  if (communicator == MPI_COMM_NULL) return require_given(function, product);
  require_mpi_ready();
  on_all(communicator, [&] { require_given(function, product, others...); });
}

DistributedMatrix distributed(const foretile_layout* layout, const void* memory) {
  // A and B are only read.
  return {layout ? layout->layout : nullptr, static_cast<std::byte*>(const_cast<void*>(memory))};
}

}  // namespace

}  // namespace foretile

using foretile::guarded;

foretile_status foretile_dense_problem(int64_t m, int64_t n, int64_t k, int64_t tile,
                                       foretile_problem** problem) {
  return guarded([&] {
    foretile::require_given("foretile_dense_problem", problem);
    for (const auto& [name, extent] : {std::pair("m", m), {"n", n}, {"k", k}, {"tile", tile}}) {
      const std::int64_t least = name == std::string_view("tile") ? 0 : 1;
      if (extent < least || extent > foretile::max_extent)
        throw foretile::input_error(name, fmt::to_string(extent),
                                    fmt::format("{} to {}", least, foretile::max_extent));
    }
    foretile::DenseParameters parameters;
    parameters.m = m;
    parameters.n = n;
    parameters.k = k;
    parameters.tile = tile;
    foretile::make_problem(foretile::dense_contraction(parameters), problem);
  });
}

foretile_status foretile_problem_from_text(const char* toml, foretile_problem** problem) {
  return guarded([&] {
    foretile::require_given("foretile_problem_from_text", toml, problem);
    foretile::make_problem(foretile::build_contraction({"problem", toml, "text"}), problem);
  });
}

foretile_status foretile_problem_from_file(const char* path, foretile_problem** problem) {
  return guarded([&] {
    foretile::require_given("foretile_problem_from_file", path, problem);
    foretile::make_problem(foretile::build_contraction(foretile::load_problem(path)), problem);
  });
}

foretile_status foretile_set_form(foretile_problem* problem, char type, char a_op, char b_op,
                                  const double alpha[2], const double beta[2]) {
  return guarded([&] {
    foretile::require_given("foretile_set_form", problem, alpha, beta);
    const foretile::ElementType element = foretile::type_named(type);
    if (!element.is_complex && (alpha[1] != 0 || beta[1] != 0))
      throw foretile::input_error("alpha and beta", "an imaginary part", "none in a product of real numbers");
    foretile::Contraction& p = problem->contraction;
    p.a_op = foretile::op_named(a_op);
    p.b_op = foretile::op_named(b_op);
    p.precision = element.precision;
    p.complex_elements = element.is_complex;
    p.alpha = {alpha[0], alpha[1]};
    p.beta = {beta[0], beta[1]};
  });
}

void foretile_free_problem(foretile_problem* problem) {
  delete problem;
}

foretile_status foretile_create(MPI_Comm communicator, const foretile_problem* problem,
                                const foretile_options* options, foretile_multiplication** multiplication) {
  return foretile::guarded_on_all([&] {
    const foretile::OwnCommunicator own(communicator);
    foretile::MultiplicationOptions converted;
    std::optional<foretile::Contraction> contraction;
    std::unique_ptr<foretile_multiplication> made;
    foretile::on_all(own.get(), [&] {  // memory may be missing on one rank alone
      foretile::require_given("foretile_create", problem, multiplication);
      converted = foretile::options_of(options ? *options : foretile_options{});
      contraction = problem->contraction;
      made = std::make_unique<foretile_multiplication>();
    });
    made->multiplication.emplace(communicator, std::move(*contraction), converted);
    *multiplication = made.release();
  });
}

void foretile_free(foretile_multiplication* multiplication) {
  delete multiplication;
}

const foretile_work* foretile_planned_work(const foretile_multiplication* multiplication) {
  return multiplication ? foretile::c_work(multiplication->multiplication->work()) : nullptr;
}

foretile_status foretile_tile_count(const foretile_multiplication* multiplication, char matrix,
                                    int64_t* count) {
  return guarded([&] {
    foretile::require_given("foretile_tile_count", multiplication, count);
    *count =
        shape_of(multiplication->multiplication->contraction(), foretile::matrix_named(matrix)).nonzeros();
  });
}

foretile_status foretile_get_tile(const foretile_multiplication* multiplication, char matrix, int64_t number,
                                  foretile_tile* tile) {
  return guarded([&] {
    foretile::require_given("foretile_get_tile", multiplication, tile);
    const foretile::Multiplication& product = *multiplication->multiplication;
    const foretile::Matrix of = foretile::matrix_named(matrix);
    const std::int64_t tiles = shape_of(product.contraction(), of).nonzeros();
    if (number < 0 || number >= tiles)
      throw foretile::input_error("tile", fmt::to_string(number), fmt::format("0 to {}", tiles - 1));
    *tile = foretile::described_tile(product, {of, number});
  });
}

foretile_status foretile_run(foretile_multiplication* multiplication, const foretile_storage* storage,
                             foretile_report* report) {
  return foretile::guarded_on_all([&] {
    foretile::require_given_on_all("foretile_run", multiplication, storage);
    foretile::Multiplication& product = *multiplication->multiplication;
    const foretile::CallbackStorage tiles(product, *storage);
    foretile::finish(product.run(tiles), report);
  });
}

foretile_status foretile_block_cyclic_layout(int grid_rows, int grid_columns, const int* ranks, int self,
                                             int64_t rows, int64_t columns, int64_t row_block,
                                             int64_t column_block, int row_source, int column_source,
                                             int64_t ld, foretile_layout** layout) {
  return guarded([&] {
    foretile::require_given("foretile_block_cyclic_layout", layout);
    foretile::BlacsGrid grid{grid_rows, grid_columns, -1, -1, {}};
    const std::int64_t places =
        grid_rows > 0 && grid_columns > 0 ? std::int64_t{grid_rows} * grid_columns : 0;
    if (ranks && places <= std::numeric_limits<int>::max()) {
      for (std::int64_t place = 0; place < places; ++place)
        grid.ranks.push_back(foretile::Rank::of(ranks[place]));
    }
    const std::int64_t own =
        ranks ? std::find(grid.ranks.begin(), grid.ranks.end(), self) - grid.ranks.begin() : self;
    if (own >= 0 && own < places) {
      grid.row = static_cast<int>(own / grid_columns);
      grid.column = static_cast<int>(own % grid_columns);
    }
    *layout = new foretile_layout{std::make_shared<foretile::BlockCyclic>(
        std::move(grid),
        foretile::BlockCyclicShape{rows, columns, row_block, column_block, row_source, column_source, ld})};
  });
}

foretile_status foretile_table_layout(const int64_t* row_sizes, int row_tiles, const int64_t* column_sizes,
                                      int column_tiles, const int* owners, const int64_t* at,
                                      const int64_t* ld, int self, foretile_layout** layout) {
  return guarded([&] {
    foretile::require_given("foretile_table_layout", row_sizes, column_sizes, owners, at, ld, layout);
    if (row_tiles < 1 || column_tiles < 1)
      throw foretile::input_error("table of owners", fmt::format("{} x {} tiles", row_tiles, column_tiles),
                                  "at least 1 x 1");
    const auto tiles = static_cast<std::size_t>(row_tiles) * static_cast<std::size_t>(column_tiles);
    std::vector<foretile::Rank> ranks;
    std::vector<foretile::TilePlace> places;
    for (std::size_t tile = 0; tile < tiles; ++tile) {
      ranks.push_back(foretile::Rank::of(owners[tile]));
      places.push_back({at[tile], ld[tile]});
    }
    *layout = new foretile_layout{std::make_shared<foretile::OwnerTable>(
        foretile::Tiling::from_sizes({row_sizes, row_sizes + row_tiles}),
        foretile::Tiling::from_sizes({column_sizes, column_sizes + column_tiles}), std::move(ranks),
        std::move(places), foretile::Rank::of(self))};
  });
}

void foretile_free_layout(foretile_layout* layout) {
  delete layout;
}

foretile_status foretile_run_in_layouts(foretile_multiplication* multiplication,
                                        const foretile_layout* a_layout, const void* a,
                                        const foretile_layout* b_layout, const void* b,
                                        const foretile_layout* c_layout, void* c, foretile_report* report) {
  return foretile::guarded_on_all([&] {
    // As foretile_run() does: this finds ranks that call another function.
    foretile::require_given_on_all("foretile_run_in_layouts", multiplication);
    foretile::finish(multiplication->multiplication->run(foretile::distributed(a_layout, a),
                                                         foretile::distributed(b_layout, b),
                                                         foretile::distributed(c_layout, c)),
                     report);
  });
}
