// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/products_once.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "planner/plan/products_of_tile.hpp"
#include "planner/verify/pass.hpp"

namespace foretile {

namespace {

InputError wrong_products(const FusedProgram& program, std::size_t term, const std::string& found) {
  return broken_plan(fmt::format("term {}", program.program().terms[term].name), found,
                     "each product of tiles once");
}

}  // namespace

ProductsOnce::ProductsOnce(const FusedProgram& program) : program_(program) {
  for (const FusedProgramTerm& term : program.terms()) {
    OfTerm& of = terms_.emplace_back();
    if (!term.is_product()) continue;
    const Contraction& p = term.product->contraction();
    std::size_t count = 0;
    for (TileId c = 0; c < p.c.nonzeros(); ++c) {
      of.first.push_back(count);
      for_each_product_of(p, c, [&](TileId, TileId) { ++count; });
    }
    of.first.push_back(count);
    of.products.resize(count);
    of.c_tiles.resize(static_cast<std::size_t>(p.c.nonzeros()));
  }
}

void ProductsOnce::note(std::size_t term, TileId c, const std::vector<std::pair<TileId, TileId>>& products) {
  OfTerm& of = terms_[term];
  if (c < 0 || c >= std::ssize(of.c_tiles)) throw wrong_products(program_, term, "a tile of C that it lacks");
  of.c_tiles[static_cast<std::size_t>(c)] = true;
  std::size_t number = of.first[static_cast<std::size_t>(c)];
  auto next = products.begin();
  for_each_product_of(program_.terms()[term].product->contraction(), c, [&](TileId a, TileId b) {
    if (next != products.end() && *next == std::pair(a, b)) {
      if (of.products[number]) throw wrong_products(program_, term, "one twice");
      of.products[number] = true;
      ++next;
    }
    ++number;
  });
  if (next != products.end()) throw wrong_products(program_, term, "one that it does not have");
}

void ProductsOnce::check() const {
  for (std::size_t term = 0; term < terms_.size(); ++term) {
    const auto all = [](const std::vector<bool>& noted) {
      return std::ranges::all_of(noted, [](bool one) { return one; });
    };
    if (!all(terms_[term].c_tiles) || !all(terms_[term].products))
      throw wrong_products(program_, term, "one that is missing");
  }
}

}  // namespace foretile
