// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/flow_check.hpp"

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

class FlowCheck {
 public:
  FlowCheck(const FusedProgram& program, const ProgramDistribution& distribution, const FlowPlan& flow)
      : program_(program), distribution_(distribution), flow_(flow) {}

  void check() {
    const Plan& plan = flow_.work.plan;
    for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
      const std::vector<FlowTask>& tasks = plan.ranks[rank].flow.tasks;
      if (flow_.steps[rank].size() != tasks.size())
        throw broken_plan(fmt::format("rank {}", rank), fmt::format("{} steps", flow_.steps[rank].size()),
                          fmt::format("one for each of {} tasks", tasks.size()));
      for (std::size_t task = 0; task < tasks.size(); ++task) check(rank, task, tasks[task]);
    }
    check_products();
    compare();
  }

 private:
  struct Block {
    std::int32_t last = -1;  // task that added to it
    bool read = false;
  };

  InputError wrong(const ProgramBlock& block, const std::string& found, const std::string& expected) const {
    return broken_plan(fmt::format("block {} of {}", block.block,
                                   text_of(program_.tensors()[block.tensor], program_.program())),
                       found, expected);
  }

  void check(std::size_t rank, std::size_t number, const FlowTask& task) {
    const FlowStep& step = flow_.steps[rank][number];
    Block& block = blocks_[step.block];
    if (distribution_.owner_of(step.block) != static_cast<int>(rank))
      throw wrong(step.block, fmt::format("a task of rank {}", rank), "one of the rank that has it");
    if (task.after != block.last)
      throw wrong(step.block, fmt::format("task {} of rank {} behind task {}", number, rank, task.after),
                  fmt::format("behind its last addition, task {}", block.last));
    if (step.kind != FlowStep::Kind::add) {
      block.read = true;
      check_made(step, task);
      return;
    }
    if (block.read || !task.reads) throw wrong(step.block, "an addition after it was read", "all before");
    block.last = static_cast<std::int32_t>(number);
    found_[step.block].push_back({*task.reads, {step.block.block, step.order, step.factor}});
  }

  struct TileOfTerm {
    std::size_t term = 0;
    TileId tile = 0;
  };
  /// Of the last term whose tiles begin at this one or before.
  TileOfTerm term_of(const FlowStep& step, TileRef tile) const {
    const auto [first, numbers] = tile.matrix == Matrix::a ? std::pair(&TilesOfTerm::a, &TilesOfTerm::a_tiles)
                                  : tile.matrix == Matrix::b
                                      ? std::pair(&TilesOfTerm::b, &TilesOfTerm::b_tiles)
                                      : std::pair(&TilesOfTerm::c, &TilesOfTerm::c_tiles);
    const auto& terms = flow_.tiles_of_terms;
    const auto behind = std::ranges::upper_bound(terms, tile.id, {}, first);
    const auto none = [&] { return wrong(step.block, fmt::format("tile {}", tile.id), "a tile of a term"); };
    if (behind == terms.begin()) throw none();
    const TilesOfTerm& term = *(behind - 1);
    const auto number = static_cast<std::size_t>(tile.id - term.*first);
    if (number >= (term.*numbers).size()) throw none();
    return {term.term, (term.*numbers)[number]};
  }

  void check_made(const FlowStep& step, const FlowTask& task) const {
    const auto not_that = [&] { return wrong(step.block, "another tile made of it", "that of the program"); };
    const bool copy = step.kind == FlowStep::Kind::copy;
    if (!task.makes || (task.makes->matrix == Matrix::c) != copy) throw not_that();
    const TileOfTerm of = term_of(step, *task.makes);
    const FusedProgramTerm& term = program_.terms()[of.term];
    if (copy) {
      const auto number = static_cast<std::size_t>(of.tile);
      if (number >= term.copies.size() ||
          step.block != ProgramBlock{term.operands[0], term.copies[number].from})
        throw not_that();
      return;
    }
    if (!term.is_product()) throw not_that();
    const PermutedBlock expected = operand_of(term, {task.makes->matrix, of.tile}, true);
    if (step.block != expected.block || step.order != expected.order || step.factor != expected.factor)
      throw not_that();
    const bool lends = flow_.work.plan.operands.of(task.makes->matrix).is_in_place(task.makes->id);
    if (lends != (step.kind == FlowStep::Kind::lend) ||
        (lends && (!expected.is_block() || distribution_.is_on_demand(step.block.tensor))))
      throw not_that();
  }

  /// All tiles of C together have each product of each term once, and each copied block.
  void check_products() const {
    ProductsOnce products(program_);
    std::vector<std::vector<TileId>> copied(program_.terms().size());
    for (const TilesOfTerm& tiles : flow_.tiles_of_terms) {
      if (tiles.term >= copied.size() || tiles.c < 0 ||
          tiles.c + std::ssize(tiles.c_tiles) > flow_.work.contraction.c.nonzeros())
        throw broken_plan(fmt::format("tile {} of C", tiles.c), "a tile that is not there",
                          "tiles of a term of the program");
      for (std::size_t n = 0; n < tiles.c_tiles.size(); ++n) {
        if (!program_.terms()[tiles.term].is_product()) {
          copied[tiles.term].push_back(tiles.c_tiles[n]);
          continue;
        }
        std::vector<std::pair<TileId, TileId>> of_tile;
        for_each_product_of(flow_.work.contraction, tiles.c + static_cast<TileId>(n),
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
    for (const TilesOfTerm& tiles : flow_.tiles_of_terms) {
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
  const ProgramDistribution& distribution_;
  const FlowPlan& flow_;
  std::map<ProgramBlock, Block> blocks_;
  Contributions found_;
};

}  // namespace

void check_flow(const FusedProgram& program, const ProgramDistribution& distribution, const FlowPlan& flow) {
  FlowCheck(program, distribution, flow).check();
}

}  // namespace foretile
