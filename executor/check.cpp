#include "executor/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/random.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/initial_tile.hpp"
#include "executor/mpi/post.hpp"

namespace foretile {

namespace {

using Vector = std::vector<double>;

/// Squares of the difference and of the expected values.
struct Squares {
  double difference = 0;
  double expected = 0;
  void add(double found, double wanted) {
    difference += (found - wanted) * (found - wanted);
    expected += wanted * wanted;
  }
};

/// The part of the random vector that belongs to tile column j.
Vector random_part(const Contraction& p, std::int32_t j) {
  Vector x(static_cast<std::size_t>(p.n.size(j)));
  for (std::size_t e = 0; e < x.size(); ++e) {
    x[e] = unit_real(counter_bits(0x5eedULL, static_cast<std::uint64_t>(p.n.begin(j)) + e)) - 0.5;
  }
  return x;
}

/// A tile's numbers in double precision; copied only when they are not.
class Numbers {
 public:
  Numbers(const Contraction& p, const TileBuffer& tile) {
    if (p.precision == Precision::f64) {
      view_ = tile.as<double>();
    } else {
      widened_.assign(tile.as<float>().begin(), tile.as<float>().end());
      view_ = widened_;
    }
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  const double* data() const { return view_.data(); }
  double operator[](std::int64_t e) const { return view_[static_cast<std::size_t>(e)]; }

 private:
  Vector widened_;
  std::span<const double> view_;
};

/// y += M x, M column-major with as many rows as y.
void add_product(const Contraction& p, const TileBuffer& matrix, const Vector& x, Vector& y) {
  const auto rows = static_cast<std::int64_t>(y.size());
  const auto columns = static_cast<std::int64_t>(x.size());
  gemm(rows, 1, columns, Numbers(p, matrix).data(), rows, x.data(), columns, y.data(), rows);
}

/// This rank's tiles of C, column by column.
std::map<std::int32_t, std::vector<TileId>> by_column(const Contraction& p, const HostStore& host) {
  std::map<std::int32_t, std::vector<TileId>> columns;
  for (const auto& [c, buffer] : host.c) columns[p.c.column_of(c)].push_back(c);
  return columns;
}

Squares freivalds(const Contraction& p, const HostStore& host) {
  std::map<std::int32_t, Vector> found;  // per tile row: sum of C_ij x_j
  std::map<std::int32_t, Vector> expected;
  std::map<TileId, Vector> partial;  // per A_ik: sum of B_kj x_j over the kept j
  for (const auto& [j, tiles] : by_column(p, host)) {
    const Vector x = random_part(p, j);
    std::vector<char> mine(p.m.tiles(), 0);
    for (const TileId c : tiles) {
      const std::int32_t i = p.c.row_of(c);
      mine[i] = 1;
      Vector& sum = found.try_emplace(i, p.m.size(i), 0.0).first->second;
      add_product(p, host.c.at(c), x, sum);
      Vector& wanted = expected.try_emplace(i, p.m.size(i), 0.0).first->second;
      if (p.accumulate) add_product(p, initial_tile(p, {Matrix::c, c}), x, wanted);
    }
    for (std::size_t e = 0; e < p.b.column(j).size(); ++e) {
      const std::int32_t k = p.b.column(j)[e];
      Vector product;
      for (std::size_t f = 0; f < p.a.column(k).size(); ++f) {
        if (!mine[p.a.column(k)[f]]) continue;
        if (product.empty()) {
          product.assign(p.k.size(k), 0.0);
          add_product(p, initial_tile(p, {Matrix::b, p.b.column_ids(j)[e]}), x, product);
        }
        Vector& sum = partial.try_emplace(p.a.column_ids(k)[f], p.k.size(k), 0.0).first->second;
        for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += product[r];
      }
    }
  }
  for (const auto& [a, y] : partial) {
    const std::int32_t i = p.a.row_of(a);
    add_product(p, initial_tile(p, {Matrix::a, a}), y, expected.at(i));
  }
  Squares squares;
  for (const auto& [i, sum] : found) {
    const Vector& wanted = expected.at(i);
    for (std::size_t r = 0; r < sum.size(); ++r) squares.add(sum[r], wanted[r]);
  }
  return squares;
}

/// k with both A_ik and B_kj nonzero: calls visit(a, b, k).
template <class Visit>
void for_each_k(const Contraction& p, std::int32_t i, std::int32_t j, Visit visit) {
  for (std::size_t e = 0; e < p.b.column(j).size(); ++e) {
    const std::int32_t k = p.b.column(j)[e];
    if (const auto a = p.a.find(i, k)) visit(*a, p.b.column_ids(j)[e], k);
  }
}

double flops_of(const Contraction& p, const HostStore& host) {
  double flops = 0;
  for (const auto& [c, buffer] : host.c) {
    const std::int32_t i = p.c.row_of(c);
    const std::int32_t j = p.c.column_of(c);
    for_each_k(p, i, j, [&](TileId, TileId, std::int32_t k) { flops += p.flops(i, j, k); });
  }
  return flops;
}

Squares reference(const Contraction& p, const HostStore& host) {
  Squares squares;
  for (const auto& [c, buffer] : host.c) {
    const std::int32_t i = p.c.row_of(c);
    const std::int32_t j = p.c.column_of(c);
    const std::int64_t m = p.m.size(i);
    const std::int64_t n = p.n.size(j);
    std::vector<long double> sum(static_cast<std::size_t>(m * n), 0.0L);
    if (p.accumulate) {
      const TileBuffer tile = initial_tile(p, {Matrix::c, c});
      const Numbers initial(p, tile);
      std::copy_n(initial.data(), sum.size(), sum.begin());
    }
    for_each_k(p, i, j, [&](TileId a_id, TileId b_id, std::int32_t k_tile) {
      const TileBuffer a_tile = initial_tile(p, {Matrix::a, a_id});
      const TileBuffer b_tile = initial_tile(p, {Matrix::b, b_id});
      const Numbers a(p, a_tile);
      const Numbers b(p, b_tile);
      const std::int64_t k = p.k.size(k_tile);
      for (std::int64_t col = 0; col < n; ++col) {
        for (std::int64_t l = 0; l < k; ++l) {
          const long double factor = b[l + col * k];
          for (std::int64_t row = 0; row < m; ++row) sum[row + col * m] += a[row + l * m] * factor;
        }
      }
    });
    const Numbers found(p, buffer);
    for (std::int64_t e = 0; e < m * n; ++e) squares.add(found[e], static_cast<double>(sum[e]));
  }
  return squares;
}

double relative(Squares mine, MPI_Comm communicator) {
  std::array<double, 2> sums{mine.difference, mine.expected};
  require_mpi(MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_DOUBLE, MPI_SUM, communicator), "check");
  if (sums[1] == 0) return sums[0] == 0 ? 0.0 : std::numeric_limits<double>::infinity();
  const double error = std::sqrt(sums[0] / sums[1]);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

/// Sums of per-tile digests do not depend on which rank holds which tile.
std::string digest_of_c(const HostStore& host, MPI_Comm communicator) {
  std::uint64_t sum = 0;
  for (const auto& [c, buffer] : host.c) {
    const std::string_view bytes(reinterpret_cast<const char*>(buffer.data()), buffer.bytes().size());
    sum += counter_bits(std::stoull(digest(bytes), nullptr, 16), static_cast<std::uint64_t>(c));
  }
  require_mpi(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, communicator), "check");
  return fmt::format("{:016x}", sum);
}

/// Tiles of C with a product that no rank holds, or that several hold.
std::int64_t missing_tiles(const Contraction& p, const HostStore& host, MPI_Comm communicator) {
  auto held = static_cast<std::int64_t>(host.c.size());
  require_mpi(MPI_Allreduce(MPI_IN_PLACE, &held, 1, MPI_INT64_T, MPI_SUM, communicator), "check");
  return symbolic_product(p.a, p.b, 0.0, &p.c).nonzeros() - held;
}

}  // namespace

double allowed_error(Precision precision) {
  return precision == Precision::f64 ? 1e-12 : 1e-5;
}

CheckResult check_product(const Contraction& contraction, const HostStore& host, MPI_Comm communicator,
                          double reference_flops) {
  CheckResult result{"freivalds", relative(freivalds(contraction, host), communicator),
                     digest_of_c(host, communicator)};
  if (const std::int64_t missing = missing_tiles(contraction, host, communicator); missing != 0) {
    throw WorkError(fmt::format("{} tiles of C are missing after the run", missing));
  }
  double most = flops_of(contraction, host);
  require_mpi(MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_DOUBLE, MPI_MAX, communicator), "check");
  if (most <= reference_flops) {
    result.method = "freivalds + reference";
    result.relative_error =
        std::max(result.relative_error, relative(reference(contraction, host), communicator));
  }
  return result;
}

}  // namespace foretile
