#include "executor/tile_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "executor/cpu/blas.hpp"
#include "executor/in_parallel.hpp"
#include "executor/initial_tile.hpp"

namespace foretile {

namespace {

using Vector = std::vector<double>;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr int kVectors = 2;
constexpr double kMeanSquare = 13.0 / 12;  // of a number of X: 1 + 1/12

std::size_t elements(std::int64_t rows, std::int64_t columns) {
  return static_cast<std::size_t>(rows * columns);
}

/// X_j: kVectors columns.
Vector random_vectors(const Contraction& p, std::int32_t j) {
  const std::int64_t n = p.n.size(j);
  Vector x(elements(n, kVectors));
  for (int v = 0; v < kVectors; ++v) {
    const std::uint64_t key = counter_bits(counter_bits(p.seed, 0x5eed), static_cast<std::uint64_t>(v));
    for (std::int64_t e = 0; e < n; ++e) {
      const std::uint64_t bits = counter_bits(key, static_cast<std::uint64_t>(p.n.begin(j) + e));
      x[e + v * n] = (bits & 1 ? 1 : -1) * (unit_real(bits) + 0.5);
    }
  }
  return x;
}

/// A small tile's numbers.
Vector widened(const Contraction& p, const TileBuffer& tile) {
  if (p.precision == Precision::f64) return {tile.as<double>().begin(), tile.as<double>().end()};
  return {tile.as<float>().begin(), tile.as<float>().end()};
}

Vector initial_numbers(const Contraction& p, TileRef tile) {
  return widened(p, initial_tile(p, tile));
}

/// |x - y| in the 2-norm.
double difference(const Vector& x, const Vector& y) {
  double squares = 0;
  for (std::size_t e = 0; e < x.size(); ++e) squares += (x[e] - y[e]) * (x[e] - y[e]);
  return std::sqrt(squares);
}

/// y += M x. M is rows x columns in the problem's precision, x has `count` columns.
void add_product(const Contraction& p, const TileBuffer& matrix, std::int64_t rows, std::int64_t columns,
                 const double* x, std::int64_t count, double* y) {
  if (p.precision == Precision::f64) {
    gemm(rows, count, columns, matrix.as<double>().data(), rows, x, columns, y, rows);
    return;
  }
  constexpr std::int64_t kWidenedAtOnce = 1 << 15;
  const std::int64_t width = std::clamp<std::int64_t>(kWidenedAtOnce / rows, 1, columns);
  Vector some_columns;
  for (std::int64_t first = 0; first < columns; first += width) {
    const std::int64_t some = std::min(width, columns - first);
    const auto numbers = matrix.as<float>().subspan(elements(rows, first), elements(rows, some));
    some_columns.assign(numbers.begin(), numbers.end());
    gemm(rows, count, some, some_columns.data(), rows, x + first, columns, y, rows);
  }
}

/// What is known of a tile of C before it is looked at.
struct Expected {
  double product_square = 0;  ///< of the norm of the products' sum
  double terms = 0;           ///< of the sum, one more per product
  double flops = 0;

  void add(const Contraction& p, TileId a, TileId b, std::int32_t k) {
    const double norm = generated_norm(p, {Matrix::a, a}) * generated_norm(p, {Matrix::b, b});
    product_square += norm * norm / static_cast<double>(p.k.size(k));
    terms += static_cast<double>(p.k.size(k)) + 1;
    flops += p.flops(p.a.row_of(a), p.b.column_of(b), k);
  }
};

double initial_norm(const Contraction& p, TileId c) {
  return p.reads_c() ? generated_norm(p, {Matrix::c, c}) : 0;
}

double relative(const Contraction& p, TileId c, const Expected& expected, double difference) {
  if (!std::isfinite(difference)) return kInfinite;
  const double smallest = p.precision == Precision::f64 ? std::numeric_limits<double>::min()
                                                        : double{std::numeric_limits<float>::min()};
  const auto size = static_cast<double>(p.m.size(p.c.row_of(c)) * p.n.size(p.c.column_of(c)));
  const double underflow = expected.terms * smallest * std::sqrt(size);
  if (difference <= underflow) return 0;
  return (difference - underflow) / std::hypot(std::sqrt(expected.product_square), initial_norm(p, c));
}

/// Of a tile to which no product contributes.
double error_of_untouched(const Contraction& p, TileId c, const TileBuffer& found) {
  const Vector numbers = widened(p, found);
  const Vector wanted = p.reads_c() ? initial_numbers(p, {Matrix::c, c}) : Vector(numbers.size(), 0.0);
  return numbers == wanted ? 0 : kInfinite;
}

/// One tile of C that is to be judged.
struct Held {
  TileId id;
  const TileBuffer* found;
  std::size_t column;  ///< in its share
  Expected expected;
  Vector product;  ///< A B X
};

/// Some tile columns, whose products B x are in memory together.
struct Share {
  std::vector<std::int32_t> columns;
  std::vector<Vector> x;                           // per column
  std::unordered_map<TileId, Vector> y;            // per tile of B that is used: B_kj X_j
  std::map<std::int32_t, std::vector<Held>> rows;  // tiles of C by tile row, with increasing column
};

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

void add_column(const Contraction& p, const TilesOfC& c, std::int32_t j, const std::vector<TileId>& tiles,
                Share& share) {
  for (const TileId id : tiles)
    share.rows[p.c.row_of(id)].push_back({id, &c.at(id), share.columns.size(), {}, {}});
  share.columns.push_back(j);
}

/// Takes columns from the front while their products fit into `bytes`.
Share take_share(const Contraction& p, const TilesOfC& c, Columns& left, std::int64_t bytes) {
  Share share;
  for (std::int64_t taken = 0; !left.empty();) {
    const auto& [j, tiles] = *left.begin();
    std::vector<TileId> used;
    for_each_used(p, j, tiles, [&](TileId b) { used.push_back(b); });
    for (const TileId b : used) taken += kVectors * p.k.size(p.b.row_of(b)) * std::int64_t{sizeof(double)};
    if (taken > bytes && !share.columns.empty()) break;
    for (const TileId b : used) share.y.try_emplace(b);
    add_column(p, c, j, tiles, share);
    left.erase(left.begin());
  }
  return share;
}

void multiply_b(const Contraction& p, int threads, Share& share) {
  share.x.resize(share.columns.size());
  std::map<std::int32_t, std::size_t> place;
  for (std::size_t g = 0; g < share.columns.size(); ++g) {
    share.x[g] = random_vectors(p, share.columns[g]);
    place[share.columns[g]] = g;
  }
  std::vector<std::pair<const TileId, Vector>*> tiles;
  for (auto& tile : share.y) tiles.push_back(&tile);
  in_parallel(tiles.size(), threads, [&](std::size_t t) {
    const TileId b = tiles[t]->first;
    const std::int64_t k = p.k.size(p.b.row_of(b));
    const std::int64_t n = p.n.size(p.b.column_of(b));
    tiles[t]->second.assign(elements(k, kVectors), 0.0);
    add_product(p, initial_tile(p, {Matrix::b, b}), k, n, share.x[place.at(p.b.column_of(b))].data(),
                kVectors, tiles[t]->second.data());
  });
}

/// The tiles of C that A_ik B_kj adds to, `row` by `row`: calls visit(held, b).
template <class Visit>
void for_each_product(const Contraction& p, std::int32_t k, const std::vector<Held*>& at, Visit visit) {
  for (std::size_t e = 0; e < p.b.row(k).size(); ++e) {
    if (Held* const held = at[p.b.row(k)[e]]) visit(*held, p.b.first(k) + static_cast<TileId>(e));
  }
}

/// A_ik times all B_kj X_j at once.
void multiply_a(const Contraction& p, const Share& share, TileId a, const std::vector<Held*>& at) {
  const std::int64_t m = p.m.size(p.a.row_of(a));
  const std::int32_t k_tile = p.a.column_of(a);
  Vector y;
  std::vector<Held*> into;
  for_each_product(p, k_tile, at, [&](Held& held, TileId b) {
    held.expected.add(p, a, b, k_tile);
    const Vector& some = share.y.at(b);
    y.insert(y.end(), some.begin(), some.end());
    into.push_back(&held);
  });
  if (into.empty()) return;
  const std::int64_t count = std::ssize(into) * kVectors;
  Vector product(elements(m, count), 0.0);
  add_product(p, initial_tile(p, {Matrix::a, a}), m, p.k.size(k_tile), y.data(), count, product.data());
  const double* from = product.data();
  for (Held* const held : into) {
    for (double& sum : held->product) sum += *from++;
  }
}

/// `wanted` is A B X.
double error_of(const Contraction& p, const Held& held, const Vector& x, Vector wanted) {
  if (held.expected.product_square == 0) return error_of_untouched(p, held.id, *held.found);
  const std::int64_t m = p.m.size(p.c.row_of(held.id));
  const std::int64_t n = p.n.size(p.c.column_of(held.id));
  if (p.reads_c())
    add_product(p, initial_tile(p, {Matrix::c, held.id}), m, n, x.data(), kVectors, wanted.data());
  Vector found(wanted.size(), 0.0);
  add_product(p, *held.found, m, n, x.data(), kVectors, found.data());
  return relative(p, held.id, held.expected, difference(found, wanted) / std::sqrt(kVectors * kMeanSquare));
}

TileErrors judge_row(const Contraction& p, const Share& share, std::int32_t i, std::vector<Held>& row) {
  std::vector<Held*> at(p.n.tiles(), nullptr);
  for (Held& held : row) {
    at[p.c.column_of(held.id)] = &held;
    held.product.assign(elements(p.m.size(i), kVectors), 0.0);
  }
  for (std::size_t e = 0; e < p.a.row(i).size(); ++e)
    multiply_a(p, share, p.a.first(i) + static_cast<TileId>(e), at);
  TileErrors errors;
  for (Held& held : row) {
    errors.add(error_of(p, held, share.x[held.column], std::move(held.product)), held.id);
    const auto n = static_cast<double>(p.n.size(p.c.column_of(held.id)));
    errors.longest_sum = std::max(errors.longest_sum, held.expected.terms + 2 * n + 1);
    errors.flops += held.expected.flops;
  }
  return errors;
}

TileErrors judge(const Contraction& p, int threads, Share& share) {
  std::vector<std::pair<const std::int32_t, std::vector<Held>>*> rows;
  for (auto& row : share.rows) rows.push_back(&row);
  std::vector<TileErrors> errors(rows.size());
  in_parallel(rows.size(), threads,
              [&](std::size_t r) { errors[r] = judge_row(p, share, rows[r]->first, rows[r]->second); });
  TileErrors all;
  for (const TileErrors& some : errors) all.add(some);
  return all;
}

/// k with both A_ik and B_kj nonzero: calls visit(a, b, k).
template <class Visit>
void for_each_k(const Contraction& p, TileId c, Visit visit) {
  const std::int32_t j = p.c.column_of(c);
  for (std::size_t e = 0; e < p.b.column(j).size(); ++e) {
    const std::int32_t k = p.b.column(j)[e];
    if (const auto a = p.a.find(p.c.row_of(c), k)) visit(*a, p.b.column_ids(j)[e], k);
  }
}

/// sum += A_ik B_kj
void add_reference(const Contraction& p, TileId a_id, TileId b_id, std::vector<long double>& sum) {
  const Vector a = initial_numbers(p, {Matrix::a, a_id});
  const Vector b = initial_numbers(p, {Matrix::b, b_id});
  const std::int64_t m = p.m.size(p.a.row_of(a_id));
  const std::int64_t k = p.k.size(p.b.row_of(b_id));
  const std::int64_t n = p.n.size(p.b.column_of(b_id));
  for (std::int64_t col = 0; col < n; ++col) {
    for (std::int64_t l = 0; l < k; ++l) {
      const long double factor = b[l + col * k];
      for (std::int64_t row = 0; row < m; ++row) sum[row + col * m] += a[row + l * m] * factor;
    }
  }
}

double reference_error(const Contraction& p, TileId c, const TileBuffer& found) {
  const Vector numbers = widened(p, found);
  std::vector<long double> sum(numbers.size(), 0.0L);
  if (p.reads_c()) {
    const Vector initial = initial_numbers(p, {Matrix::c, c});
    std::copy(initial.begin(), initial.end(), sum.begin());
  }
  Expected expected;
  for_each_k(p, c, [&](TileId a, TileId b, std::int32_t k) {
    expected.add(p, a, b, k);
    add_reference(p, a, b, sum);
  });
  if (expected.product_square == 0) return error_of_untouched(p, c, found);
  return relative(p, c, expected, difference(numbers, Vector(sum.begin(), sum.end())));
}

}  // namespace

void TileErrors::add(double error, TileId tile) {
  if (error <= largest) return;
  largest = error;
  worst = tile;
}

void TileErrors::add(const TileErrors& other) {
  add(other.largest, other.worst);
  longest_sum = std::max(longest_sum, other.longest_sum);
  flops += other.flops;
}

double allowed_error(Precision precision, double terms) {
  constexpr double kDeviations = 6;
  return kDeviations * (precision == Precision::f64 ? 0x1p-53 : 0x1p-24) * std::sqrt(terms);
}

TileErrors freivalds(const Contraction& contraction, const TilesOfC& c, const FreivaldsOptions& options) {
  TileErrors errors;
  Columns left = by_column(contraction, c);
  while (!left.empty()) {
    Share share = take_share(contraction, c, left, options.bytes);
    multiply_b(contraction, options.threads, share);
    errors.add(judge(contraction, options.threads, share));
  }
  return errors;
}

TileErrors compare_with_reference(const Contraction& contraction, const TilesOfC& c) {
  TileErrors errors;
  for (const auto& [id, found] : c) errors.add(reference_error(contraction, id, found), id);
  return errors;
}

}  // namespace foretile
