// SPDX-License-Identifier: BSD-3-Clause
#include "planner/problem/contraction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace foretile {

namespace {

/// Calls visit(k, position of k in A's row) for each nonzero A_ik, then for B's row k.
template <class Visit>
void for_each_product_in_row(const Shape& a, const Shape& b, std::int32_t i, Visit visit) {
  const auto ks = a.row(i);
  for (std::size_t p = 0; p < ks.size(); ++p) {
    const TileId a_id = a.first(i) + static_cast<TileId>(p);
    const auto js = b.row(ks[p]);
    for (std::size_t q = 0; q < js.size(); ++q)
      visit(a_id, b.first(ks[p]) + static_cast<TileId>(q), ks[p], js[q]);
  }
}

std::int64_t elements_of(const Shape& shape, const Tiling& rows, const Tiling& columns) {
  std::int64_t elements = 0;
  for (TileId id = 0; id < shape.nonzeros(); ++id) {
    elements += rows.size(shape.row_of(id)) * columns.size(shape.column_of(id));
  }
  return elements;
}

double density(std::int64_t elements, std::int64_t rows, std::int64_t columns) {
  return static_cast<double>(elements) / static_cast<double>(rows) / static_cast<double>(columns);
}

}  // namespace

Shape symbolic_product(const Shape& a, const Shape& b, double threshold, const Shape* allowed) {
  std::vector<Shape::Entry> kept;
  std::vector<double> norm_sum(b.columns(), 0.0);
  std::vector<char> state(b.columns(), 0);  // 1: reached, 2: some product is above the threshold
  std::vector<std::int32_t> reached;
  for (std::int32_t i = 0; i < a.rows(); ++i) {
    for_each_product_in_row(a, b, i, [&](TileId a_id, TileId b_id, std::int32_t, std::int32_t j) {
      const double product = static_cast<double>(a.norm(a_id)) * static_cast<double>(b.norm(b_id));
      if (state[j] == 0) {
        state[j] = 1;
        reached.push_back(j);
      }
      norm_sum[j] += product;
      if (product >= threshold) state[j] = 2;
    });
    for (const std::int32_t j : reached) {
      if (state[j] == 2 && (!allowed || allowed->contains(i, j))) {
        kept.push_back({i, j, static_cast<float>(norm_sum[j])});
      }
      state[j] = 0;
      norm_sum[j] = 0;
    }
    reached.clear();
  }
  return {a.rows(), b.columns(), std::move(kept)};
}

Traits traits(const Contraction& p) {
  Traits t;
  t.m = p.m.extent(), t.n = p.n.extent(), t.k = p.k.extent();
  t.m_tiles = p.m.tiles(), t.n_tiles = p.n.tiles(), t.k_tiles = p.k.tiles();
  std::vector<char> kept(p.n.tiles(), 0);
  for (std::int32_t i = 0; i < p.m.tiles(); ++i) {
    for (const std::int32_t j : p.c.row(i)) kept[j] = 1;
    for_each_product_in_row(p.a, p.b, i, [&](TileId, TileId, std::int32_t k, std::int32_t j) {
      if (!kept[j]) return;
      t.flops += p.flops(i, j, k);
      ++t.gemms;
    });
    for (const std::int32_t j : p.c.row(i)) kept[j] = 0;
  }
  const std::int64_t in_a = elements_of(p.a, p.m, p.k);
  const std::int64_t in_b = elements_of(p.b, p.k, p.n);
  const std::int64_t in_c = elements_of(p.c, p.m, p.n);
  t.a_bytes = p.element_bytes() * in_a;
  t.b_bytes = p.element_bytes() * in_b;
  t.c_bytes = p.element_bytes() * in_c;
  t.a_density = density(in_a, t.m, t.k);
  t.b_density = density(in_b, t.k, t.n);
  t.c_density = density(in_c, t.m, t.n);
  const auto bytes = static_cast<double>(t.a_bytes + t.b_bytes + t.c_bytes);
  t.intensity = bytes > 0 ? t.flops / bytes : 0.0;
  return t;
}

namespace {

Shape transposed(const Shape& shape) {
  std::vector<Shape::Entry> entries;
  for (TileId id = 0; id < shape.nonzeros(); ++id)
    entries.push_back({shape.column_of(id), shape.row_of(id), shape.norm(id)});
  return {shape.columns(), shape.rows(), std::move(entries)};
}

Op transposed(Op op, const ElementType& element) {
  if (op == Op::conjugate_transpose && element.is_complex)
    throw input_error("contraction", "the conjugate transpose of an operand whose product is transposed",
                      "N or T", "store its conjugate");
  return op == Op::none ? Op::transpose : Op::none;
}

}  // namespace

Contraction transposed(const Contraction& p) {
  Contraction result = p;
  result.m = p.n, result.n = p.m;
  result.a = transposed(p.b), result.b = transposed(p.a), result.c = transposed(p.c);
  result.sources = {p.sources.b, p.sources.a};
  result.a_op = transposed(p.b_op, p.element());
  result.b_op = transposed(p.a_op, p.element());
  result.is_transposed = !p.is_transposed;
  for (ProductOfK& product : result.products_of_k)
    product = {transposed(product.b, p.element()), transposed(product.a, p.element()), product.factor};
  return result;
}

void require_runnable(const Contraction& p) {
  const auto refuse = [](const char* what, const std::string& found, const char* expected) {
    throw input_error(fmt::format("contraction, {}", what), found, expected,
                      "only plans can be made of this contraction so far");
  };
  if (p.sources.a == Source::in_file)
    refuse("source of A", std::string(name_of(p.sources.a)), "given or generated");
}

}  // namespace foretile
