// SPDX-License-Identifier: BSD-3-Clause
#include "planner/bound/program_bound.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "planner/plan/products_of_tile.hpp"
#include "platforms/cost/product.hpp"

namespace foretile {

namespace {

/// Of one product on a device of the platform, or on the cores of a rank beside its GPUs.
class LeastOfProduct {
 public:
  explicit LeastOfProduct(const Machine& machine) : device_(machine, ElementType{}, kAnyBatch) {
    const int cores = machine.cores_beside_gpus();
    const Platform& p = machine.platform;
    if (p.device.kind == DeviceKind::gpu && cores > 0 && p.core.kernel_for(Precision::f64).known())
      cores_.emplace(machine, ElementType{}, kAnyBatch, DeviceKind::core, cores);
  }

  /// Of a device of the platform.
  double device_s(const ProductSize& x) const { return device_.work(x.m, x.n, x.k); }
  /// How many times as fast the cores are; 0 where none multiply.
  double speed_of_cores(const ProductSize& x) const {
    return cores_ ? device_s(x) / cores_->work(x.m, x.n, x.k) : 0.0;
  }

 private:
  static constexpr int kAnyBatch = 1 << 30;

  LeastTimes device_;
  std::optional<LeastTimes> cores_;
};

/// Goes through all products, level after level.
class ProgramNeeds {
 public:
  ProgramNeeds(const FusedProgram& program, const Machine& machine) : program_(program), least_(machine) {
    for (std::size_t tensor = 0; tensor < program.tensors().size(); ++tensor)
      whole_s_.emplace_back(static_cast<std::size_t>(program.blocks(tensor).count()), 0.0);
    for (int level = 1; level <= program.levels(); ++level) {
      for (const std::size_t term : program.terms_of_level(level)) count(term);
    }
  }

  double products_s() const { return products_s_; }   // on one device
  double chain_s() const { return chain_s_; }         // the longest
  double gpus_of_cores() const { return of_cores_; }  // as fast as so many GPUs are a rank's cores

 private:
  void count(std::size_t number) {
    const FusedProgramTerm& term = program_.terms()[number];
    if (term.is_product()) return count_products(number, term);
    const std::vector<double>& from = whole_s_[term.operands.front()];
    for (const CopiedBlock& copy : term.copies)
      add(term.result, program_.additions(number, copy), from[static_cast<std::size_t>(copy.from)]);
  }

  void count_products(std::size_t number, const FusedProgramTerm& term) {
    const Contraction& p = term.product->contraction();
    const std::vector<double> a = whole_tiles(term, 0, p.a.nonzeros()),
                              b = whole_tiles(term, 1, p.b.nonzeros());
    for (TileId c = 0; c < p.c.nonzeros(); ++c) {
      double end_s = 0;
      for_each_product_of(p, c, [&](TileId a_tile, TileId b_tile) {
        const double begin_s =
            std::max(a[static_cast<std::size_t>(a_tile)], b[static_cast<std::size_t>(b_tile)]);
        const ProductSize size{p.m.size(p.c.row_of(c)), p.n.size(p.c.column_of(c)),
                               p.k.size(p.a.column_of(a_tile))};
        end_s = std::max(end_s, begin_s + count(size));
      });
      add(term.result, program_.additions(number, c), end_s);
    }
  }

  /// A product; what it takes at least, wherever it runs.
  double count(const ProductSize& size) {
    const double device_s = least_.device_s(size), of_cores = least_.speed_of_cores(size);
    products_s_ += device_s;
    of_cores_ = std::max(of_cores_, of_cores);
    return device_s / std::max(1.0, of_cores);
  }

  /// When tiles of A or B (0 or 1) can be read.
  std::vector<double> whole_tiles(const FusedProgramTerm& term, std::size_t matrix, TileId tiles) const {
    const std::vector<double>& blocks = whole_s_[term.operands[matrix]];
    std::vector<double> seconds;
    for (TileId tile = 0; tile < tiles; ++tile)
      seconds.push_back(blocks[static_cast<std::size_t>(term.product->operand_tile(matrix, tile).block)]);
    return seconds;
  }

  void add(std::size_t result, const std::vector<Addition>& additions, double end_s) {
    chain_s_ = std::max(chain_s_, end_s);
    for (const Addition& addition : additions) {
      double& whole_s = whole_s_[result][static_cast<std::size_t>(addition.to)];
      whole_s = std::max(whole_s, end_s);
    }
  }

  const FusedProgram& program_;
  LeastOfProduct least_;
  std::vector<std::vector<double>> whole_s_;  // by tensor and block: when all is added to it
  double products_s_ = 0, chain_s_ = 0, of_cores_ = 0;
};

}  // namespace

Bound program_bound(const FusedProgram& program, const Machine& machine) {
  const ProgramNeeds needs(program, machine);
  const Platform& p = machine.platform;
  const BoundWork products{.products = true};
  Bound bound;
  const auto add = [&](double seconds, const char* limit) {
    if (seconds > bound.seconds) bound = {seconds, limit, products};
  };
  add(needs.products_s() / (machine.ranks * (machine.devices_per_rank + needs.gpus_of_cores())),
      "products on all devices");
  if (p.device.kind == DeviceKind::core)  // a core is slower where others work, too
    add(p.solo_speedup * needs.products_s() / (1.0 * machine.nodes() * p.cores_per_node()),
        "products on all cores");
  add(needs.chain_s(), "a chain of products that wait for each other");
  return bound;
}

Bounds bounds_of(const Plan& plan, const Contraction& contraction, const FusedProgram& program,
                 const Machine& machine, const CountFunction& progress) {
  const Bound any = program_bound(program, machine);
  const Bound of_plan = plan_bound(plan, contraction, machine, progress);
  return {of_plan.seconds > any.seconds ? of_plan : any, any};
}

}  // namespace foretile
