// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/step_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "planner/distribution/on_demand.hpp"
#include "planner/plan/products.hpp"
#include "planner/plan/products_of_tile.hpp"
#include "planner/program/join_steps.hpp"
#include "planner/program/open_steps.hpp"
#include "planner/program/products_once.hpp"
#include "planner/program/term_slices.hpp"
#include "planner/program/term_steps.hpp"
#include "planner/strategies/device_messages.hpp"
#include "planner/strategies/strategy.hpp"
#include "platforms/units.hpp"

namespace foretile {

namespace {

std::string bytes_text(double bytes) {
  return format_quantity(bytes, Dimension::bytes);
}
std::string bytes_text(std::int64_t bytes) {
  return bytes_text(static_cast<double>(bytes));
}

bool is_there(const FusedProgram& program, std::size_t tensor, ProgramMode mode, int number) {
  return mode == ProgramMode::flow || program.is_there(tensor, number);
}

/// The tensors that are there while its step runs, or the smallest slice of the term. The advice names one
/// of them, or one that the term reads.
DoesNotFit step_does_not_fit(const FusedProgram& program, const ProgramDistribution& distribution,
                             const Machine& machine, const StepPlan& plan, ProgramMode mode) {
  const std::int64_t there = machine.host_bytes_per_rank();
  const bool tensors_alone = plan.bytes.tensors > there;
  const std::int64_t needed = tensors_alone ? plan.bytes.tensors : plan.bytes.all;
  const std::size_t term = plan.step.terms.front().term;
  std::vector<std::size_t> tensors =
      tensors_alone ? std::vector<std::size_t>() : program.terms()[term].operands;
  for (std::size_t tensor = 0; tensors_alone && tensor < program.tensors().size(); ++tensor) {
    if (is_there(program, tensor, mode, plan.number)) tensors.push_back(tensor);
  }
  const std::string step = fmt::format("{} {}", name_of_step(mode), plan.number);
  return DoesNotFit(input_error(
      tensors_alone ? step : fmt::format("{}, term {}", step, program.program().terms[term].name),
      fmt::format("{} of {} for a rank, {} more than its host memory has", bytes_text(needed),
                  tensors_alone ? "tensors" : "tensors and the smallest slice of the term",
                  bytes_text(needed - there)),
      fmt::format("at most {}", bytes_text(there)), memory_advice(program, distribution.on_demand, tensors)));
}

/// Unless the settings say otherwise, no device waits for others, since steps are enough; and cores multiply
/// nothing beside GPUs to which messages come.
Settings with_defaults_of_programs(Settings settings, bool messages_on_devices) {
  const Strategy& strategy = choose_strategy({}, settings);
  const auto usually = [&](const std::string& key, const char* value) {
    if (find_parameter(strategy.parameters(), key)) settings.emplace(key, value);
  };
  usually("barriers", "none");
  if (messages_on_devices) usually("sharing", "off");
  return settings;
}

double flops_of(const FusedProgram& program, std::size_t term) {
  const FusedProgramTerm& fused = program.terms()[term];
  return fused.is_product() ? traits(fused.product->contraction()).flops : 0;
}

/// A term is computed in 2^6 slices at most: planning more takes minutes, and what then fits hardly computes.
constexpr int kMostCuts = 6;
/// Of a device's memory, for all steps alike: the more steps have room for their messages at once, the less a
/// device waits for them. A block of a few tiles needs less.
std::int64_t bytes_for_messages(const Machine& machine) {
  return machine.receives_on_devices() ? machine.platform.device.memory_bytes / 4 * 3 : 0;
}

/// Steps of a flow that can be under way: one, and the next one.
constexpr int kStepsAtOnce = 2;

/// Plans the terms of one step, in as few halves, quarters, ... as fit, and a term alone in slices.
class StepPlanner {
 public:
  /// `before`: steps that are not planned.
  StepPlanner(const FusedProgram& program, const ProgramDistribution& distribution, const Machine& machine,
              const Settings& settings, ProgramMode mode, int before = 0)
      : program_(program),
        distribution_(distribution),
        machine_(without_memory_for_messages(machine, bytes_for_messages(machine))),
        device_message_bytes_(bytes_for_messages(machine)),
        settings_(settings),
        number_(before),
        mode_(mode),
        products_(program) {}

  /// The next step's.
  std::vector<StepPlan> plans_of(const std::vector<std::size_t>& terms) {
    ++number_;
    plans_.clear();
    for (const std::vector<TermPart>& parts : by_strategy(terms)) plan(parts);
    for (std::size_t part = 0; part < plans_.size(); ++part) {
      plans_[part].part = static_cast<int>(part) + 1;
      plans_[part].parts = static_cast<int>(plans_.size());
    }
    return std::move(plans_);
  }

 private:
  bool flows() const { return mode_ == ProgramMode::flow; }

  bool multiplies(std::size_t term) const { return program_.terms()[term].multiplies(); }

  /// Terms without products go with the first.
  std::vector<std::vector<TermPart>> by_strategy(const std::vector<std::size_t>& terms) const {
    std::vector<std::string> names;
    std::vector<std::vector<TermPart>> groups(1);
    for (const std::size_t term : terms) {
      std::size_t group = 0;
      if (multiplies(term)) {
        const auto found = std::ranges::find(names, distribution_.strategy_of(term));
        group = static_cast<std::size_t>(found - names.begin());
        if (found == names.end()) names.push_back(distribution_.strategy_of(term));
        groups.resize(std::max(groups.size(), names.size()));
      }
      groups[group].push_back(whole_term(program_, term));
    }
    return groups;
  }

  Settings settings_for(const std::vector<TermPart>& terms) const {
    for (const TermPart& part : terms) {
      const std::string name = distribution_.strategy_of(part.term);
      if (multiplies(part.term) && !name.empty()) return with_defaults(settings_of_strategy(name, settings_));
    }
    return with_defaults(settings_);
  }
  Settings with_defaults(Settings settings) const {
    return with_defaults_of_programs(std::move(settings), device_message_bytes_ > 0);
  }
  /// What else would help where nothing fits.
  std::string advice_on_messages() const {
    if (device_message_bytes_ == 0) return {};
    return fmt::format(
        "; {} of each device are for messages: they may come to host memory, platform.messages=host",
        bytes_text(device_message_bytes_));
  }

  /// `cuts`: how often the term alone was halved.
  void plan(const std::vector<TermPart>& terms, int cuts = 0) {
    StepPlan plan;
    plan.number = number_;
    if (const auto error = work_of(terms, plan)) {
      if (plan_less(terms, cuts)) return;
      throw DoesNotFit(InputError(fmt::format("{} {}, term {}: {}{}", name_of_step(mode_), number_,
                                              program_.program().terms[terms.front().term].name,
                                              error->what(), advice_on_messages())));
    }
    const int at_once = flows() && terms.size() > 1 ? kStepsAtOnce : 1;
    plan.bytes = host_bytes_of(plan, at_once);
    const std::int64_t most = machine_.host_bytes_per_rank();
    const std::int64_t messages = plan.work ? at_once * plan.work->summary.peak_device_message_bytes : 0;
    if (plan.bytes.all <= most && messages <= device_message_bytes_) {
      if (flows() && plan.work) add_work(*plan.work);
      plans_.push_back(std::move(plan));
    } else if (plan.bytes.tensors > most || !plan_less(terms, cuts)) {
      throw step_does_not_fit(program_, distribution_, machine_, plan, mode_);
    }
  }

  /// With so many times what the step needs beside tensors.
  HostBytes host_bytes_of(const StepPlan& plan, int times) const {
    std::vector<TensorSteps> tensors;
    for (std::size_t tensor = 0; tensor < program_.tensors().size(); ++tensor)
      tensors.push_back({0, is_there(program_, tensor, mode_, number_) ? Step(1) : Step(0)});
    return bytes_of_step(join_steps(program_, distribution_, machine_, {&plan, 1}, tensors), machine_, times);
  }

  /// Sets the step and its work; or what is wrong.
  std::optional<InputError> work_of(const std::vector<TermPart>& terms, StepPlan& plan) {
    try {
      plan.step = make_step(products_, distribution_, terms);
      if (!plan.step.joined) return std::nullopt;
      require_room(plan.step);
      PlanContext context = plan.step.context;
      // Near blocks that one rank makes are to be those that it needs in other steps.
      if (!context.neighbours) context.flops_before = flops_before_;
      context.device_message_bytes = device_message_bytes_;
      plan.settings = settings_for(terms);
      plan.work = plan_work(plan.step.joined->contraction(), machine_, plan.settings, {}, {}, context);
    } catch (const InputError& error) {
      return error;
    }
    return std::nullopt;
  }

  /// Where tiles alone are more than all ranks have no plan needs less, and planning is saved.
  void require_room(const ProgramStep& step) const {
    const Contraction& joined = step.joined->contraction();
    double bytes = 0;
    for (const Matrix matrix : {Matrix::a, Matrix::b}) {
      const OperandContext& context = step.context.of(matrix);
      for (std::size_t tile = 0; tile < context.in_place.size(); ++tile) {
        if (!context.in_place[tile] && !context.in_other_order[tile])
          bytes += static_cast<double>(bytes_of(joined, {matrix, static_cast<TileId>(tile)}));
      }
    }
    bytes += bytes_of_all(joined, Matrix::c);
    const double there = static_cast<double>(machine_.host_bytes_per_rank()) * machine_.ranks;
    if (bytes > there)
      throw input_error("memory of all ranks", fmt::format("{} of tiles", bytes_text(bytes)),
                        fmt::format("at most {}", bytes_text(there)), "use more nodes");
  }

  /// In two parts; false: there is but one tile of C, or it is a small slice already.
  bool plan_less(const std::vector<TermPart>& terms, int cuts) {
    if (terms.size() > 1) {
      plan_halves(terms);
      return true;
    }
    const auto slices = cuts < kMostCuts ? halves_of(program_, distribution_, terms.front()) : std::nullopt;
    if (!slices) return false;
    for (const TermPart& slice : *slices) plan({slice}, cuts + 1);
    return true;
  }

  /// What follows can even out what devices have more than others. Cores beside GPUs are not among these.
  void add_work(const PlannedWork& work) {
    const auto of_rank = static_cast<std::size_t>(machine_.devices_per_rank);
    flops_before_.resize(static_cast<std::size_t>(machine_.devices()), 0);
    for (std::size_t rank = 0; rank < work.plan.ranks.size(); ++rank) {
      const auto& devices = work.plan.ranks[rank].devices;
      for (std::size_t device = 0; device < std::min(devices.size(), of_rank); ++device) {
        for (const Block& block : devices[device].blocks)
          flops_before_[rank * of_rank + device] += block_flops(work.contraction, block);
      }
    }
  }

  /// Of about the same work; at least one term each.
  void plan_halves(const std::vector<TermPart>& terms) {
    double all = 0, first = 0;
    for (const TermPart& part : terms) all += flops_of(program_, part.term);
    auto middle = terms.begin() + 1;
    for (; middle + 1 != terms.end() && first + flops_of(program_, (middle - 1)->term) < all / 2; ++middle)
      first += flops_of(program_, (middle - 1)->term);
    plan({terms.begin(), middle});
    plan({middle, terms.end()});
  }

  const FusedProgram& program_;
  const ProgramDistribution& distribution_;
  Machine machine_;  // without the memory for messages
  std::int64_t device_message_bytes_;
  const Settings& settings_;
  int number_ = 0;
  ProgramMode mode_;
  TermProducts products_;
  std::vector<double> flops_before_;  // where tiles flow: of each device so far
  std::vector<StepPlan> plans_;
};

/// What is wrong with the settings is not the fault of a term: the smallest product is asked first.
void check_settings(const FusedProgram& program, const Machine& machine, const Settings& settings) {
  const FusedProgramTerm* smallest = nullptr;
  for (const FusedProgramTerm& term : program.terms()) {
    if (!term.multiplies()) continue;
    if (!smallest || term.product->contraction().c.nonzeros() < smallest->product->contraction().c.nonzeros())
      smallest = &term;
  }
  if (!smallest) return;
  const bool on_devices = machine.receives_on_devices();
  const auto planner = prepare_planner(smallest->product->contraction(), machine,
                                       with_defaults_of_programs(settings, on_devices));
  if (on_devices) require_gpus_alone(planner->frame());
}

/// All parts, slices and pieces of sums have together each product of each term once.
void check_parts(const FusedProgram& program, const std::vector<StepPlan>& plans) {
  ProductsOnce all(program);
  for (const StepPlan& plan : plans) {
    for (std::size_t product = 0; product < plan.step.products.size(); ++product) {
      const JoinedProducts& joined = *plan.step.joined;
      for (TileId c = joined.first(Matrix::c, product); c < joined.first(Matrix::c, product + 1); ++c) {
        std::vector<std::pair<TileId, TileId>> products;
        for_each_product_of(joined.contraction(), c, [&](TileId a, TileId b) {
          products.emplace_back(joined.at({Matrix::a, a}).tile, joined.at({Matrix::b, b}).tile);
        });
        all.note(plan.step.products[product], joined.at({Matrix::c, c}).tile, products);
      }
    }
  }
  all.check();
}

}  // namespace

std::string_view name_of(ProgramMode mode) {
  return mode == ProgramMode::flow ? "flow" : "levels";
}

std::string_view name_of_step(ProgramMode mode) {
  return mode == ProgramMode::flow ? "step" : "level";
}

bool has_products(const FusedProgram& program) {
  return std::ranges::any_of(program.terms(), &FusedProgramTerm::multiplies);
}

std::vector<std::vector<std::size_t>> terms_of_steps(const FusedProgram& program, ProgramMode mode) {
  if (mode == ProgramMode::levels) {
    std::vector<std::vector<std::size_t>> levels;
    for (int level = 1; level <= program.levels(); ++level) levels.push_back(program.terms_of_level(level));
    return levels;
  }
  constexpr double kSteps = 8;  // at least, of equal work: then none is short beside the gaps between them
  std::vector<double> work;
  for (std::size_t term = 0; term < program.terms().size(); ++term) work.push_back(flops_of(program, term));
  const double enough = std::accumulate(work.begin(), work.end(), 0.0) / kSteps;
  return steps_of_terms(program.order(), work, enough);
}

std::vector<StepPlan> plan_steps(const FusedProgram& program, const ProgramDistribution& distribution,
                                 const Machine& machine, const Settings& settings, ProgramMode mode) {
  const Settings all = settings_for_terms(settings);
  check_settings(program, machine, all);
  std::vector<StepPlan> plans;
  StepPlanner planner(program, distribution, machine, all, mode);
  for (const std::vector<std::size_t>& terms : terms_of_steps(program, mode)) {
    for (StepPlan& plan : planner.plans_of(terms)) plans.push_back(std::move(plan));
  }
  check_parts(program, plans);
  return plans;
}

std::vector<StepPlan> plan_step(const FusedProgram& program, const ProgramDistribution& distribution,
                                const Machine& machine, const Settings& settings, ProgramMode mode,
                                int number) {
  const Settings all = settings_for_terms(settings);
  return StepPlanner(program, distribution, machine, all, mode, number - 1)
      .plans_of(terms_of_steps(program, mode)[static_cast<std::size_t>(number) - 1]);
}

}  // namespace foretile
