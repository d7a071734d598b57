// SPDX-License-Identifier: BSD-3-Clause
#include "executor/check/reference.hpp"

#include <cmath>
#include <complex>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "executor/tiles/initial_tile.hpp"

namespace foretile {

namespace {

/// k with both A_ik and B_kj nonzero: calls visit(a, b, k).
template <class Visit>
void for_each_k(const Contraction& p, TileId c, Visit visit) {
  const std::int32_t j = p.c.column_of(c);
  for (std::size_t e = 0; e < p.b.column(j).size(); ++e) {
    const std::int32_t k = p.b.column(j)[e];
    if (const auto a = p.a.find(p.c.row_of(c), k)) visit(*a, p.b.column_ids(j)[e], k);
  }
}

/// `Exact` is long double, or complex numbers of it.
template <class Exact, class Stored>
class Reference {
 public:
  explicit Reference(const Contraction& contraction) : p_(contraction) {}

  double error_of(TileId c, const TileBuffer& found) const {
    std::vector<Exact> sum(static_cast<std::size_t>(p_.c_bytes(c) / p_.element_bytes()), Exact{0});
    ExpectedTile expected;
    for_each_k(p_, c, [&](TileId a, TileId b, std::int32_t k) {
      expected.add(p_, a, b, k);
      add_product(a, b, sum);
    });
    if (expected.product_square == 0) return error_of_untouched(p_, c, found);
    for (Exact& number : sum) number *= factor(p_.alpha);
    if (p_.reads_c()) {
      const TileBuffer initial = initial_tile(p_, {Matrix::c, c});
      const auto numbers = initial.as<Stored>();
      for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += factor(p_.beta) * Exact(numbers[e]);
    }
    double squares = 0;
    const auto numbers = found.as<Stored>();
    for (std::size_t e = 0; e < sum.size(); ++e)
      squares += static_cast<double>(std::norm(Exact(numbers[e]) - sum[e]));
    return relative_error(p_, c, expected, std::sqrt(squares));
  }

 private:
  static Exact factor(std::complex<double> x) {
    if constexpr (std::is_floating_point_v<Exact>) {
      return x.real();
    } else {
      return Exact(x);
    }
  }

  static Exact conjugated(Exact x) {
    if constexpr (std::is_floating_point_v<Exact>) {
      return x;
    } else {
      return std::conj(x);
    }
  }

  /// Column-major, op(M) of rows x columns.
  std::vector<Exact> numbers_of(TileRef tile, Op op, std::int64_t rows, std::int64_t columns) const {
    const TileBuffer initial = initial_tile(p_, tile);
    const auto numbers = initial.as<Stored>();
    std::vector<Exact> all(numbers.begin(), numbers.end());
    if (op == Op::none) return all;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        const Exact x(numbers[static_cast<std::size_t>(j + i * columns)]);
        all[static_cast<std::size_t>(i + j * rows)] = op == Op::transpose ? x : conjugated(x);
      }
    }
    return all;
  }

  /// sum += A_ik B_kj
  void add_product(TileId a_id, TileId b_id, std::vector<Exact>& sum) const {
    const std::int64_t m = p_.m.size(p_.a.row_of(a_id));
    const std::int64_t k = p_.k.size(p_.b.row_of(b_id));
    const std::int64_t n = p_.n.size(p_.b.column_of(b_id));
    const std::vector<Exact> a = numbers_of({Matrix::a, a_id}, p_.a_op, m, k);
    const std::vector<Exact> b = numbers_of({Matrix::b, b_id}, p_.b_op, k, n);
    for (std::int64_t col = 0; col < n; ++col) {
      for (std::int64_t l = 0; l < k; ++l) {
        const Exact factor = b[l + col * k];
        for (std::int64_t row = 0; row < m; ++row) sum[row + col * m] += a[row + l * m] * factor;
      }
    }
  }

  const Contraction& p_;
};

}  // namespace

TileErrors compare_with_reference(const Contraction& contraction, const TilesOfC& c) {
  return with_element(contraction.element(), [&]<class Stored>(Stored) {
    using Exact =
        std::conditional_t<std::is_floating_point_v<Stored>, long double, std::complex<long double>>;
    const Reference<Exact, Stored> reference(contraction);
    TileErrors errors;
    for (const auto& [id, found] : c)
      errors.add(reference.error_of(id, gapless_c(contraction, id, found)), id);
    return errors;
  });
}

}  // namespace foretile
