// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/program_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "planner/plan/products_of_tile.hpp"
#include "planner/program/products_once.hpp"
#include "planner/verify/pass.hpp"

namespace foretile {

namespace {

/// Of one tile of C to a block.
struct Contribution {
  TileId tile = 0;  // of the joined contraction
  Addition addition;

  auto key() const { return std::tuple(tile, addition.order.from, addition.order.negative, addition.factor); }
  friend bool operator<(const Contribution& l, const Contribution& r) { return l.key() < r.key(); }
  friend bool operator==(const Contribution& l, const Contribution& r) { return l.key() == r.key(); }
};

using Contributions = std::map<ProgramBlock, std::vector<Contribution>>;

class ProgramCheck {
 public:
  ProgramCheck(const FusedProgram& program, const ProgramPlan& plan) : program_(program), plan_(plan) {}

  void check() {
    check_tensors();
    check_terms();
    for (const RankPlan& rank : plan_.work.plan.ranks) {
      for (const FlowTask& task : rank.flow.tasks) check(task);
    }
    check_products();
    compare();
  }

 private:
  InputError wrong(const ProgramBlock& block, const std::string& found, const std::string& expected) const {
    return broken_plan(fmt::format("block {} of {}", block.block, name_of_tensor(block.tensor)), found,
                       expected);
  }
  std::string name_of_tensor(std::size_t tensor) const {
    return text_of(program_.tensors()[tensor], program_.program());
  }

  /// They are the program's, distributed as it says, and there as long as they may be needed: given ones
  /// from the begin, results to the end.
  void check_tensors() const {
    const PlanTensors& all = plan_.work.plan.tensors;
    const auto steps = static_cast<int>(plan_.work.plan.steps.size());
    if (all.list.size() != program_.tensors().size())
      throw broken_plan("tensors", fmt::format("{}", all.list.size()),
                        fmt::format("the {} of the program", program_.tensors().size()));
    if (const int cores = plan_.work.machine.cores_per_rank(); all.tasks_at_once != cores)
      throw broken_plan("tensors", fmt::format("{} tasks at once", all.tasks_at_once),
                        fmt::format("{}", cores));
    TileId tile = 0;
    for (std::size_t tensor = 0; tensor < all.list.size(); ++tensor) {
      const PlanTensor& of_plan = all.list[tensor];
      const TensorRole role = program_.tensors()[tensor].role;
      const BlockId blocks = program_.blocks(tensor).count();
      if (of_plan.first != tile || tile + blocks > std::ssize(all.owners) ||
          of_plan.on_demand != plan_.distribution.is_on_demand(tensor) ||
          (of_plan.on_demand && role != TensorRole::given) ||
          (role == TensorRole::given && of_plan.from != 0) ||
          (role == TensorRole::result && of_plan.end != steps))
        throw broken_plan(name_of_tensor(tensor), "another tensor", "that of the program");
      for (BlockId block = 0; block < blocks; ++block, ++tile) {
        const auto number = static_cast<std::size_t>(tile);
        if (all.owners[number] != plan_.distribution.owner_of({tensor, block}) ||
            plan_.work.contraction.t_bytes(tile) != program_.bytes(tensor, block))
          throw wrong(
              {tensor, block},
              fmt::format("{} bytes on rank {}", plan_.work.contraction.t_bytes(tile), all.owners[number]),
              fmt::format("{} on rank {}", program_.bytes(tensor, block),
                          plan_.distribution.owner_of({tensor, block})));
      }
    }
    if (tile != std::ssize(all.owners))
      throw broken_plan("tensors", fmt::format("{} tiles", all.owners.size()), fmt::format("{}", tile));
  }

  /// Tiles are numbered as their terms do.
  void check_terms() const {
    for (const TilesOfTerm& tiles : plan_.tiles_of_terms) {
      bool there = tiles.term < program_.terms().size();
      const auto within = [&](const std::vector<TileId>& numbers, TileId count) {
        there = there && std::ranges::all_of(numbers, [&](TileId n) { return n >= 0 && n < count; });
      };
      if (there && program_.terms()[tiles.term].is_product()) {
        const Contraction& product = program_.terms()[tiles.term].product->contraction();
        within(tiles.a_tiles, product.a.nonzeros());
        within(tiles.b_tiles, product.b.nonzeros());
      } else if (there) {
        within(tiles.c_tiles, std::ssize(program_.terms()[tiles.term].copies));
      }
      if (!there)
        throw broken_plan(fmt::format("term {}", tiles.term), "tiles that are not there",
                          "tiles of the program");
    }
  }

  void check(const FlowTask& task) {
    const ProgramBlock block = block_of(plan_.work.plan.tensors, task.tensor_tile());
    if (!task.adds()) return check_generated(task, block);
    found_[block].push_back({task.reads.id, {block.block, task.order, task.factor}});
  }

  struct TileOfTerm {
    std::size_t term = 0;
    TileId tile = 0;
  };
  /// Of the last term whose tiles begin at this one or before.
  TileOfTerm term_of(const ProgramBlock& block, TileRef tile) const {
    const auto [first, numbers] = tile.matrix == Matrix::a ? std::pair(&TilesOfTerm::a, &TilesOfTerm::a_tiles)
                                  : tile.matrix == Matrix::b
                                      ? std::pair(&TilesOfTerm::b, &TilesOfTerm::b_tiles)
                                      : std::pair(&TilesOfTerm::c, &TilesOfTerm::c_tiles);
    const auto& terms = plan_.tiles_of_terms;
    const auto behind = std::ranges::upper_bound(terms, tile.id, {}, first);
    const auto none = [&] { return wrong(block, fmt::format("tile {}", tile.id), "a tile of a term"); };
    if (behind == terms.begin()) throw none();
    const TilesOfTerm& term = *(behind - 1);
    const auto number = static_cast<std::size_t>(tile.id - term.*first);
    if (number >= (term.*numbers).size()) throw none();
    return {term.term, (term.*numbers)[number]};
  }

  void check_generated(const FlowTask& task, const ProgramBlock& block) const {
    const auto not_that = [&] { return wrong(block, "another tile made of it", "that of the program"); };
    const TileOfTerm of = term_of(block, task.writes);
    const FusedProgramTerm& term = program_.terms()[of.term];
    if (!task.makes_operand()) {
      const auto number = static_cast<std::size_t>(of.tile);
      if (number >= term.copies.size() || !task.copies() ||
          block != ProgramBlock{term.operands[0], term.copies[number].from})
        throw not_that();
      return;
    }
    if (!term.is_product()) throw not_that();
    const PermutedBlock expected = operand_of(term, {task.writes.matrix, of.tile});
    if (block != expected.block || task.order != expected.order || task.factor != expected.factor)
      throw not_that();
  }

  /// All tiles of C together have each product of each term once, and each copied block.
  void check_products() const {
    ProductsOnce products(program_);
    std::vector<std::vector<TileId>> copied(program_.terms().size());
    for (const TilesOfTerm& tiles : plan_.tiles_of_terms) {
      if (tiles.term >= copied.size() || tiles.c < 0 ||
          tiles.c + std::ssize(tiles.c_tiles) > plan_.work.contraction.c.nonzeros())
        throw broken_plan(fmt::format("tile {} of C", tiles.c), "a tile that is not there",
                          "tiles of a term of the program");
      for (std::size_t n = 0; n < tiles.c_tiles.size(); ++n) {
        if (!program_.terms()[tiles.term].is_product()) {
          copied[tiles.term].push_back(tiles.c_tiles[n]);
          continue;
        }
        std::vector<std::pair<TileId, TileId>> of_tile;
        for_each_product_of(plan_.work.contraction, tiles.c + static_cast<TileId>(n),
                            [&](TileId a, TileId b) {
                              of_tile.emplace_back(number_of(tiles.a_tiles, a - tiles.a),
                                                   number_of(tiles.b_tiles, b - tiles.b));
                            });
        products.note(tiles.term, tiles.c_tiles[n], of_tile);
      }
    }
    products.check();
    for (std::size_t term = 0; term < copied.size(); ++term) {
      std::vector<TileId> all(program_.terms()[term].copies.size());
      std::iota(all.begin(), all.end(), TileId{0});
      if (copied[term] != all)
        throw broken_plan(fmt::format("term {}", program_.program().terms[term].name),
                          fmt::format("{} copies", copied[term].size()), "each copied block once");
    }
  }

  /// -1, which no tile has: there is none.
  static TileId number_of(const std::vector<TileId>& tiles, TileId place) {
    return place >= 0 && place < std::ssize(tiles) ? tiles[static_cast<std::size_t>(place)] : TileId{-1};
  }

  Contributions wanted() const {
    Contributions all;
    for (const TilesOfTerm& tiles : plan_.tiles_of_terms) {
      const FusedProgramTerm& term = program_.terms()[tiles.term];
      for (std::size_t n = 0; n < tiles.c_tiles.size(); ++n) {
        const TileId number = tiles.c_tiles[n];
        for (const Addition& addition :
             term.is_product()
                 ? program_.additions(tiles.term, number)
                 : program_.additions(tiles.term, term.copies[static_cast<std::size_t>(number)]))
          all[{term.result, addition.to}].push_back({tiles.c + static_cast<TileId>(n), addition});
      }
    }
    return all;
  }

  void compare() {
    for (auto& [block, wanted] : wanted()) {
      std::vector<Contribution>& found = found_[block];
      std::sort(wanted.begin(), wanted.end());
      std::sort(found.begin(), found.end());
      if (found != wanted)
        throw wrong(block, fmt::format("{} additions", found.size()),
                    fmt::format("the {} of the program, each once", wanted.size()));
      found_.erase(block);
    }
    if (!found_.empty()) throw wrong(found_.begin()->first, "additions", "none");
  }

  const FusedProgram& program_;
  const ProgramPlan& plan_;
  Contributions found_;
};

}  // namespace

void check_program(const FusedProgram& program, const ProgramPlan& plan) {
  ProgramCheck(program, plan).check();
}

}  // namespace foretile
