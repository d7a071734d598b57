// SPDX-License-Identifier: BSD-3-Clause
#include "executor/check/distributed_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <type_traits>
#include <unordered_map>

#include "base/error.hpp"
#include "executor/check/finite_check.hpp"
#include "executor/check/projection.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/session.hpp"
#include "executor/tiles/in_parallel.hpp"
#include "executor/tiles/with_tile.hpp"

namespace foretile {

class DistributedCheck::Test {
 public:
  virtual ~Test() = default;
  virtual void add_initial(const std::vector<TileId>& own, const TileStorage& tiles) = 0;
  virtual void add_final(TileId tile, TileView numbers) = 0;
  virtual CheckResult result(const TileStorage& tiles) = 0;
};

namespace {

/// Of which a number consists.
template <class Number>
inline constexpr std::size_t kReals = std::is_same_v<Number, double> ? 1 : 2;

template <class Number>
std::span<double> reals_of(std::vector<Number>& numbers) {
  return {reinterpret_cast<double*>(numbers.data()), numbers.size() * kReals<Number>};
}

/// Vectors for some tiles: two numbers and a size per row of each.
template <class Number>
class TileVectors {
 public:
  void add(TileId tile, std::int64_t rows) {
    if (starts_.emplace(tile, rows_).second) rows_ += rows;
  }
  void allocate() {
    sums_.assign(static_cast<std::size_t>(rows_ * kTestVectors), Number{0});
    sizes_.assign(static_cast<std::size_t>(rows_), 0.0);
  }
  Number* sums(TileId tile) { return sums_.data() + starts_.at(tile) * kTestVectors; }
  double* sizes(TileId tile) { return sizes_.data() + starts_.at(tile); }
  void add_over_ranks(MPI_Comm communicator) {
    all_reduce(reals_of(sums_), MPI_SUM, communicator, "check");
    all_reduce(std::span(sizes_), MPI_SUM, communicator, "check");
  }

 private:
  std::unordered_map<TileId, std::int64_t> starts_;
  std::int64_t rows_ = 0;
  std::vector<Number> sums_;
  std::vector<double> sizes_;
};

/// Tile columns [first, last) of B and C, whose vectors are in memory together.
template <class Number>
struct Share {
  std::int32_t first = 0, last = 0;
  TileVectors<Number> z;  // op(B) X by tile of B
  TileVectors<Number> w;  // op(A) op(B) X by tile of C
};

struct Target {
  TileId b, c;
};

/// Products A_ik B_kj with j in the share and ij in C.
std::vector<Target> targets_of(const Contraction& p, TileId a, std::int32_t first, std::int32_t last) {
  std::vector<Target> targets;
  const std::int32_t i = p.a.row_of(a), k = p.a.column_of(a);
  const auto columns = p.b.row(k);
  const auto begin = std::ranges::lower_bound(columns, first), end = std::ranges::lower_bound(columns, last);
  for (auto at = begin; at != end; ++at) {
    if (const auto c = p.c.find(i, *at)) targets.push_back({p.b.first(k) + (at - columns.begin()), *c});
  }
  return targets;
}

/// Terms of an element's sum, with the roundings of the check itself.
double terms_of(const Contraction& p, TileId c) {
  ExpectedTile expected;
  const std::int32_t i = p.c.row_of(c), j = p.c.column_of(c);
  for (std::size_t e = 0; e < p.b.column(j).size(); ++e) {
    const std::int32_t k = p.b.column(j)[e];
    if (const auto a = p.a.find(i, k)) expected.add(p, *a, p.b.column_ids(j)[e], k);
  }
  return expected.terms + 2 * static_cast<double>(p.n.size(j)) + 1;
}

template <class Number, class Stored>
class TypedTest final : public DistributedCheck::Test {
 public:
  TypedTest(const Contraction& contraction, const PlanFrame& frame, MPI_Comm communicator,
            const FreivaldsOptions& options)
      : p_(contraction), communicator_(communicator), options_(options) {
    own_a_ = tiles_to_check(p_, frame, Matrix::a, communicator);
    own_b_ = tiles_to_check(p_, frame, Matrix::b, communicator);
  }

  void add_initial(const std::vector<TileId>& own, const TileStorage& tiles) override {
    if (!p_.reads_c()) return;
    std::vector<Projection<Number>> found(own.size());
    in_parallel(own.size(), options_.threads, [&](std::size_t t) {
      with_tile(p_, tiles, {Matrix::c, own[t]},
                [&](TileView view) { found[t] = projection_of_c(own[t], view); });
    });
    for (std::size_t t = 0; t < own.size(); ++t) initial_.insert_or_assign(own[t], std::move(found[t]));
  }

  void add_final(TileId tile, TileView numbers) override {
    final_.insert_or_assign(tile, projection_of_c(tile, numbers));
  }

  CheckResult result(const TileStorage& tiles) override {
    require_all_tiles();
    TileErrors errors;
    for (std::int32_t first = 0; first < p_.n.tiles();) {
      Share<Number> share;
      agree(communicator_, [&] {
        share = share_from(first);
        multiply_b(tiles, share);
      });
      first = share.last;
      share.z.add_over_ranks(communicator_);
      agree(communicator_, [&] { multiply_a(tiles, share); });
      share.w.add_over_ranks(communicator_);
      agree(communicator_, [&] { judge(share, errors); });
    }
    const double longest = all_reduced(errors.longest_sum, MPI_MAX, communicator_, "check");
    CheckResult result;
    find_worst(p_, errors, communicator_, result);
    result.method = "freivalds, given numbers";
    result.allowed_error = allowed_error(p_.precision, longest);
    return result;
  }

 private:
  Projection<Number> projection_of_c(TileId tile, TileView view) const {
    return project<Number, Stored>(Op::none, extents_of(p_, {Matrix::c, tile}), view,
                                   test_vectors<Number>(p_.n, p_.c.column_of(tile), p_.seed));
  }

  void require_all_tiles() const {
    const auto held = all_reduced<std::int64_t>(std::ssize(final_), MPI_SUM, communicator_, "check");
    if (held != p_.c.nonzeros())
      throw WorkError(fmt::format("the ranks hold {} tiles of C after the run, expected each of {} once",
                                  held, p_.c.nonzeros()));
  }

  /// Whole tile columns from the first one, while their vectors fit into the bytes that are allowed.
  Share<Number> share_from(std::int32_t first) const {
    Share<Number> share;
    share.first = share.last = first;
    constexpr std::int64_t kRowBytes = kTestVectors * sizeof(Number) + sizeof(double);
    std::int64_t bytes = 0;
    for (; share.last < p_.n.tiles(); ++share.last) {
      for (const std::int32_t k : p_.b.column(share.last)) bytes += kRowBytes * p_.k.size(k);
      for (const std::int32_t i : p_.c.column(share.last)) bytes += kRowBytes * p_.m.size(i);
      if (bytes > options_.bytes && share.last > first) break;
      for (const TileId b : p_.b.column_ids(share.last)) share.z.add(b, p_.k.size(p_.b.row_of(b)));
      for (const TileId c : p_.c.column_ids(share.last)) share.w.add(c, p_.m.size(p_.c.row_of(c)));
    }
    share.z.allocate();
    share.w.allocate();
    return share;
  }

  void multiply_b(const TileStorage& tiles, Share<Number>& share) const {
    std::vector<TileId> some;
    for (const TileId b : own_b_) {
      const std::int32_t j = p_.b.column_of(b);
      if (share.first <= j && j < share.last) some.push_back(b);
    }
    in_parallel(some.size(), options_.threads, [&](std::size_t t) {
      const TileRef b{Matrix::b, some[t]};
      with_tile(p_, tiles, b, [&](TileView view) {
        const auto product = project<Number, Stored>(
            p_.b_op, extents_of(p_, b), view, test_vectors<Number>(p_.n, p_.b.column_of(b.id), p_.seed));
        std::ranges::copy(product.sums, share.z.sums(b.id));
        std::ranges::copy(product.sizes, share.z.sizes(b.id));
      });
    });
  }

  /// Row by row: tiles of a row add to the same tiles of C.
  void multiply_a(const TileStorage& tiles, Share<Number>& share) const {
    std::map<std::int32_t, std::vector<TileId>> by_row;
    for (const TileId a : own_a_) by_row[p_.a.row_of(a)].push_back(a);
    std::vector<const std::vector<TileId>*> rows;
    for (const auto& [row, some] : by_row) rows.push_back(&some);
    in_parallel(rows.size(), options_.threads, [&](std::size_t r) {
      for (const TileId a : *rows[r]) multiply_a(tiles, a, share);
    });
  }

  void multiply_a(const TileStorage& tiles, TileId a, Share<Number>& share) const {
    const std::vector<Target> targets = targets_of(p_, a, share.first, share.last);
    if (targets.empty()) return;
    const std::int64_t k = p_.k.size(p_.a.column_of(a));
    std::vector<Number> z;
    std::vector<double> z_sizes;
    for (const Target& target : targets) {
      z.insert(z.end(), share.z.sums(target.b), share.z.sums(target.b) + k * kTestVectors);
      z_sizes.insert(z_sizes.end(), share.z.sizes(target.b), share.z.sizes(target.b) + k);
    }
    with_tile(p_, tiles, {Matrix::a, a}, [&](TileView view) {
      const std::vector<Number> numbers = widened<Number, Stored>(extents_of(p_, {Matrix::a, a}), view);
      add_to<Number>(product_of(a, numbers, z), targets, [&](TileId c) { return share.w.sums(c); });
      add_to<double>(product_of(a, absolute(numbers), z_sizes), targets,
                     [&](TileId c) { return share.w.sizes(c); });
    });
  }

  /// op(A) times columns of vectors.
  template <class Any>
  std::vector<Any> product_of(TileId a, const std::vector<Any>& numbers, const std::vector<Any>& x) const {
    const std::int64_t m = p_.m.size(p_.a.row_of(a)), k = p_.k.size(p_.a.column_of(a));
    const std::int64_t columns = k > 0 ? std::ssize(x) / k : 0;
    std::vector<Any> y(static_cast<std::size_t>(m * columns), Any{0});
    const std::int64_t ld = std::max<std::int64_t>(1, p_.a_op == Op::none ? m : k);
    const Op op = p_.a_op != Op::none && std::is_same_v<Any, double> ? Op::transpose : p_.a_op;
    add_product(op, m, columns, k, numbers.data(), ld, x.data(), k, y.data(), m);
    return y;
  }

  template <class Any, class Place>
  static void add_to(const std::vector<Any>& product, const std::vector<Target>& targets,
                     const Place& place) {
    const std::int64_t each = targets.empty() ? 0 : std::ssize(product) / std::ssize(targets);
    const Any* from = product.data();
    for (const Target& target : targets) {
      Any* const to = place(target.c);
      for (std::int64_t e = 0; e < each; ++e) to[e] += *from++;
    }
  }

  void judge(Share<Number>& share, TileErrors& errors) const {
    for (const auto& [tile, found] : final_) {
      const std::int32_t j = p_.c.column_of(tile);
      if (j < share.first || j >= share.last) continue;
      const double terms = terms_of(p_, tile);
      errors.add(error_of(tile, found, share, terms), tile);
      errors.longest_sum = std::max(errors.longest_sum, terms);
    }
  }

  double error_of(TileId tile, const Projection<Number>& found, Share<Number>& share, double terms) const {
    const Number* const w = share.w.sums(tile);
    const double* const sizes = share.w.sizes(tile);
    const auto initial = initial_.find(tile);
    const std::int64_t m = std::ssize(found.sizes);
    double largest = 0;
    for (std::int64_t e = 0; e < m * kTestVectors; ++e) {
      const auto row = static_cast<std::size_t>(e % m), at = static_cast<std::size_t>(e);
      Number wanted = narrowed<Number>(p_.alpha) * w[at];
      double size = std::abs(p_.alpha) * sizes[row];
      if (initial != initial_.end()) {
        wanted += narrowed<Number>(p_.beta) * initial->second.sums[at];
        size += std::abs(p_.beta) * initial->second.sizes[row];
      }
      largest = std::max(largest, relative(std::abs(found.sums[at] - wanted), size, underflow(tile, terms)));
    }
    return largest;
  }

  /// What terms that are rounded to 0 come to, at most.
  double underflow(TileId tile, double terms) const {
    const double smallest = p_.precision == Precision::f64 ? std::numeric_limits<double>::min()
                                                           : double{std::numeric_limits<float>::min()};
    return terms * smallest * kLargestTestNumber * static_cast<double>(p_.n.size(p_.c.column_of(tile)));
  }

  static double relative(double difference, double size, double underflow) {
    if (!std::isfinite(difference) || !std::isfinite(size)) return std::numeric_limits<double>::infinity();
    if (difference <= underflow) return 0;
    return (difference - underflow) / size;
  }

  const Contraction& p_;
  MPI_Comm communicator_;
  FreivaldsOptions options_;
  std::vector<TileId> own_a_, own_b_;
  std::unordered_map<TileId, Projection<Number>> initial_, final_;
};

}  // namespace

DistributedCheck::DistributedCheck(const Contraction& contraction, const PlanFrame& frame,
                                   MPI_Comm communicator, const FreivaldsOptions& options) {
  test_ = with_element(contraction.element(), [&]<class Stored>(Stored) -> std::unique_ptr<Test> {
    return std::make_unique<TypedTest<Wide<Stored>, Stored>>(contraction, frame, communicator, options);
  });
}

DistributedCheck::~DistributedCheck() = default;

void DistributedCheck::add_initial(const std::vector<TileId>& own, const TileStorage& tiles) {
  test_->add_initial(own, tiles);
}

void DistributedCheck::add_final(TileId tile, TileView numbers) {
  test_->add_final(tile, numbers);
}

CheckResult DistributedCheck::result(const TileStorage& tiles) {
  return test_->result(tiles);
}

}  // namespace foretile
