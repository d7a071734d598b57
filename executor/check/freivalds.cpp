// SPDX-License-Identifier: BSD-3-Clause
#include "executor/check/freivalds.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <utility>
#include <vector>

#include "executor/check/projection.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/tiles/in_parallel.hpp"
#include "executor/tiles/initial_tile.hpp"

namespace foretile {

namespace {

constexpr double kMeanSquare = 13.0 / 12;  // of a number of X: 1 + 1/12

std::size_t elements(std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>(rows * columns);
}

using Columns = std::map<std::int32_t, std::vector<TileId>>;

Columns by_column(const Contraction& p, const TilesOfC& c) {
  Columns columns;
  for (const auto& [id, buffer] : c) columns[p.c.column_of(id)].push_back(id);
  return columns;
}

/// Calls visit(b) for the tiles of B that the column's tiles of C use.
template <class Visit>
void for_each_used(const Contraction& p, std::int32_t j, const std::vector<TileId>& tiles, Visit visit) {
  std::vector<char> mine(p.m.tiles(), 0);
  for (const TileId c : tiles) mine[p.c.row_of(c)] = 1;
  for (std::size_t e = 0; e < p.b.column(j).size(); ++e) {
    const auto rows = p.a.column(p.b.column(j)[e]);
    if (std::any_of(rows.begin(), rows.end(), [&](std::int32_t i) { return mine[i] != 0; }))
      visit(p.b.column_ids(j)[e]);
  }
}

/// The test with numbers of problems in double or single precision: Number is double or std::complex<double>,
/// Stored one of those or of single precision.
template <class Number, class Stored>
class Test {
 public:
  Test(const Contraction& contraction, const TilesOfC& c, const FreivaldsOptions& options)
      : p_(contraction), c_(c), options_(options) {}

  TileErrors run() const {
    TileErrors errors;
    Columns left = by_column(p_, c_);
    while (!left.empty()) {
      Share share = take_share(left);
      multiply_b(share);
      errors.add(judge(share));
    }
    return errors;
  }

 private:
  using Vector = std::vector<Number>;

  /// One tile of C that is to be judged.
  struct Held {
    TileId id;
    const TileBuffer* found;
    std::size_t column;  ///< in its share
    ExpectedTile expected;
    Vector product;  ///< A B X
  };

  /// Some tile columns, whose products B x are in memory together.
  struct Share {
    std::vector<std::int32_t> columns;
    std::vector<Vector> x;                           // per column
    std::unordered_map<TileId, Vector> y;            // per tile of B that is used: B_kj X_j
    std::map<std::int32_t, std::vector<Held>> rows;  // tiles of C by tile row, with increasing column
  };

  /// y += op(M) x, where op(M) is rows x columns and x has `count` columns.
  static void add(Op op, const TileBuffer& matrix, std::int64_t rows, std::int64_t columns, const Number* x,
                  std::int64_t count, Number* y) {
    if constexpr (std::is_same_v<Number, Stored>) {
      const std::int64_t ld = op == Op::none ? rows : columns;
      add_product(op, rows, count, columns, matrix.as<Stored>().data(), ld, x, columns, y, rows);
    } else {
      add_widened(op, matrix, rows, columns, x, count, y);
    }
  }

  /// The same, some columns of M after the other: those of op(M), or its rows.
  static void add_widened(Op op, const TileBuffer& matrix, std::int64_t rows, std::int64_t columns,
                          const Number* x, std::int64_t count, Number* y) {
    constexpr std::int64_t kWidenedAtOnce = 1 << 15;
    const bool plain = op == Op::none;
    const std::int64_t ld = plain ? rows : columns, all = plain ? columns : rows;
    const std::int64_t width = std::clamp<std::int64_t>(kWidenedAtOnce / ld, 1, all);
    Vector some_columns;
    for (std::int64_t first = 0; first < all; first += width) {
      const std::int64_t some = std::min(width, all - first);
      const auto numbers = matrix.as<Stored>().subspan(elements(ld, first), elements(ld, some));
      some_columns.assign(numbers.begin(), numbers.end());
      if (plain) {
        add_product(op, rows, count, some, some_columns.data(), ld, x + first, columns, y, rows);
      } else {
        add_product(op, some, count, columns, some_columns.data(), ld, x, columns, y + first, rows);
      }
    }
  }

  void add_column(std::int32_t j, const std::vector<TileId>& tiles, Share& share) const {
    for (const TileId id : tiles)
      share.rows[p_.c.row_of(id)].push_back({id, &c_.at(id), share.columns.size(), {}, {}});
    share.columns.push_back(j);
  }

  /// Takes columns from the front while their products fit into the bytes that are allowed.
  Share take_share(Columns& left) const {
    Share share;
    for (std::int64_t taken = 0; !left.empty();) {
      const auto& [j, tiles] = *left.begin();
      std::vector<TileId> used;
      for_each_used(p_, j, tiles, [&](TileId b) { used.push_back(b); });
      for (const TileId b : used)
        taken += kTestVectors * p_.k.size(p_.b.row_of(b)) * static_cast<std::int64_t>(sizeof(Number));
      if (taken > options_.bytes && !share.columns.empty()) break;
      for (const TileId b : used) share.y.try_emplace(b);
      add_column(j, tiles, share);
      left.erase(left.begin());
    }
    return share;
  }

  void multiply_b(Share& share) const {
    share.x.resize(share.columns.size());
    std::map<std::int32_t, std::size_t> place;
    for (std::size_t g = 0; g < share.columns.size(); ++g) {
      share.x[g] = test_vectors<Number>(p_.n, share.columns[g], p_.seed);
      place[share.columns[g]] = g;
    }
    std::vector<std::pair<const TileId, Vector>*> tiles;
    for (auto& tile : share.y) tiles.push_back(&tile);
    in_parallel(tiles.size(), options_.threads, [&](std::size_t t) {
      const TileId b = tiles[t]->first;
      const std::int64_t k = p_.k.size(p_.b.row_of(b));
      const std::int64_t n = p_.n.size(p_.b.column_of(b));
      tiles[t]->second.assign(elements(k, kTestVectors), Number{0});
      add(p_.b_op, initial_tile(p_, {Matrix::b, b}), k, n, share.x[place.at(p_.b.column_of(b))].data(),
          kTestVectors, tiles[t]->second.data());
    });
  }

  /// The tiles of C that A_ik B_kj adds to, `row` by `row`: calls visit(held, b).
  template <class Visit>
  void for_each_product(std::int32_t k, const std::vector<Held*>& at, Visit visit) const {
    for (std::size_t e = 0; e < p_.b.row(k).size(); ++e) {
      if (Held* const held = at[p_.b.row(k)[e]]) visit(*held, p_.b.first(k) + static_cast<TileId>(e));
    }
  }

  /// A_ik times all B_kj X_j at once.
  void multiply_a(const Share& share, TileId a, const std::vector<Held*>& at) const {
    const std::int64_t m = p_.m.size(p_.a.row_of(a));
    const std::int32_t k_tile = p_.a.column_of(a);
    Vector y;
    std::vector<Held*> into;
    for_each_product(k_tile, at, [&](Held& held, TileId b) {
      held.expected.add(p_, a, b, k_tile);
      const Vector& some = share.y.at(b);
      y.insert(y.end(), some.begin(), some.end());
      into.push_back(&held);
    });
    if (into.empty()) return;
    const std::int64_t count = std::ssize(into) * kTestVectors;
    Vector product(elements(m, count), Number{0});
    add(p_.a_op, initial_tile(p_, {Matrix::a, a}), m, p_.k.size(k_tile), y.data(), count, product.data());
    const Number* from = product.data();
    for (Held* const held : into) {
      for (Number& sum : held->product) sum += *from++;
    }
  }

  /// `wanted` is A B X.
  double error_of(const Held& held, const Vector& x, Vector wanted) const {
    const TileBuffer numbers = gapless_c(p_, held.id, *held.found);
    if (held.expected.product_square == 0) return error_of_untouched(p_, held.id, numbers);
    const std::int64_t m = p_.m.size(p_.c.row_of(held.id));
    const std::int64_t n = p_.n.size(p_.c.column_of(held.id));
    for (Number& number : wanted) number *= narrowed<Number>(p_.alpha);
    if (p_.reads_c()) {
      Vector initial(wanted.size(), Number{0});
      add(Op::none, initial_tile(p_, {Matrix::c, held.id}), m, n, x.data(), kTestVectors, initial.data());
      for (std::size_t e = 0; e < wanted.size(); ++e) wanted[e] += narrowed<Number>(p_.beta) * initial[e];
    }
    Vector found(wanted.size(), Number{0});
    add(Op::none, numbers, m, n, x.data(), kTestVectors, found.data());
    double squares = 0;
    for (std::size_t e = 0; e < found.size(); ++e) squares += std::norm(found[e] - wanted[e]);
    return relative_error(p_, held.id, held.expected, std::sqrt(squares / (kTestVectors * kMeanSquare)));
  }

  TileErrors judge_row(const Share& share, std::int32_t i, std::vector<Held>& row) const {
    std::vector<Held*> at(p_.n.tiles(), nullptr);
    for (Held& held : row) {
      at[p_.c.column_of(held.id)] = &held;
      held.product.assign(elements(p_.m.size(i), kTestVectors), Number{0});
    }
    for (std::size_t e = 0; e < p_.a.row(i).size(); ++e)
      multiply_a(share, p_.a.first(i) + static_cast<TileId>(e), at);
    TileErrors errors;
    for (Held& held : row) {
      errors.add(error_of(held, share.x[held.column], std::move(held.product)), held.id);
      const auto n = static_cast<double>(p_.n.size(p_.c.column_of(held.id)));
      errors.longest_sum = std::max(errors.longest_sum, held.expected.terms + 2 * n + 1);
      errors.flops += held.expected.flops;
    }
    return errors;
  }

  TileErrors judge(Share& share) const {
    std::vector<std::pair<const std::int32_t, std::vector<Held>>*> rows;
    for (auto& row : share.rows) rows.push_back(&row);
    std::vector<TileErrors> errors(rows.size());
    in_parallel(rows.size(), options_.threads,
                [&](std::size_t r) { errors[r] = judge_row(share, rows[r]->first, rows[r]->second); });
    TileErrors all;
    for (const TileErrors& some : errors) all.add(some);
    return all;
  }

  const Contraction& p_;
  const TilesOfC& c_;
  const FreivaldsOptions& options_;
};

}  // namespace

TileErrors freivalds(const Contraction& contraction, const TilesOfC& c, const FreivaldsOptions& options) {
  return with_element(contraction.element(), [&]<class Stored>(Stored) {
    return Test<Wide<Stored>, Stored>(contraction, c, options).run();
  });
}

}  // namespace foretile
