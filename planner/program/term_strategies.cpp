// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/term_strategies.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/one_line.hpp"
#include "planner/program/program_plan.hpp"
#include "planner/strategies/strategy.hpp"

namespace foretile {

namespace {

constexpr std::string_view kOfTerm = "strategy.";
/// Each is planned once more by each strategy.
constexpr std::size_t kMostApart = 4;

std::size_t term_named(const FusedProgram& program, const std::string& key) {
  const std::string name = key.substr(kOfTerm.size());
  const std::vector<ProgramTerm>& terms = program.program().terms;
  const auto found = std::ranges::find(terms, name, &ProgramTerm::name);
  const auto term = static_cast<std::size_t>(found - terms.begin());
  if (found != terms.end() && program.terms()[term].is_product()) return term;
  throw input_error("parameters", quote(key),
                    "strategy.TERM, where TERM is the name of a term with a product",
                    fmt::format("the program {}; foretile show lists its terms",
                                found == terms.end() ? "has no term of this name" : "only copies there"));
}

/// Returns its name of today.
std::string check_strategy(const std::string& key, const std::string& name,
                           const std::vector<std::string>& expected) {
  const auto found = std::ranges::find_if(expected, [&](const std::string& one) {
    return one == name || (one != "auto" && find_strategy(one).former_name() == name && !name.empty());
  });
  if (found != expected.end()) return *found;
  throw input_error(fmt::format("parameter {}", key), quote(name),
                    fmt::format("one of {}", fmt::join(expected, ", ")));
}

/// That know all settings, but for that which the settings mean.
std::vector<std::string> other_strategies(const Settings& settings) {
  const std::string usual = choose_strategy({}, settings_for_terms(settings)).name();
  std::vector<std::string> names;
  for (const std::string& name : strategies_for_terms()) {
    const bool knows_all = settings_of_strategy(name, settings).size() == settings.size() + 1;
    if (name != usual && knows_all) names.push_back(name);
  }
  return names;
}

class TermChoice {
 public:
  TermChoice(const FusedProgram& program, ProgramDistribution distribution, const Machine& machine,
             const Settings& settings, ProgramMode mode, const WorkSeconds& seconds)
      : program_(program),
        machine_(machine),
        settings_(settings),
        mode_(mode),
        seconds_(seconds),
        others_(other_strategies(settings)),
        distribution_(std::move(distribution)),
        pieces_(distribution_.split_k) {
    distribution_.strategies.resize(program.terms().size());
  }

  /// Of the step, from 1, with these terms.
  void choose(int step, const std::vector<std::size_t>& of_step) {
    const std::vector<std::size_t> terms = open_terms(of_step);
    if (terms.empty()) return;
    least_s_ = std::numeric_limits<double>::infinity();
    least_s_ = seconds_of(step);
    std::string usual;
    for (const std::string& name : others_) {
      if (takes_less(step, terms, name)) usual = name;
      give(terms, usual);
    }
    if (terms.size() == 1) return;
    for (std::size_t n = 0; n < std::min(terms.size(), kMostApart); ++n) choose_apart(step, terms[n], usual);
  }

  ProgramDistribution distribution() { return std::move(distribution_); }

 private:
  /// The heaviest first.
  std::vector<std::size_t> open_terms(const std::vector<std::size_t>& of_step) const {
    std::vector<std::pair<double, std::size_t>> work;
    for (const std::size_t term : of_step) {
      const FusedProgramTerm& fused = program_.terms()[term];
      if (fused.multiplies() && distribution_.strategies[term].empty())
        work.emplace_back(-traits(fused.product->contraction()).flops, term);
    }
    std::ranges::sort(work);
    std::vector<std::size_t> terms;
    for (const auto& [flops, term] : work) terms.push_back(term);
    return terms;
  }

  void choose_apart(int step, std::size_t term, const std::string& usual) {
    std::vector<std::string> names = others_;
    names.insert(names.begin(), "");
    std::string best = usual;
    for (const std::string& name : names) {
      if (name != usual && takes_less(step, {term}, name)) best = name;
      give({term}, best);
    }
  }

  void give(const std::vector<std::size_t>& terms, const std::string& name) {
    for (const std::size_t term : terms) {
      distribution_.strategies[term] = name;
      if (!pieces_.empty()) distribution_.split_k[term] = name.empty() ? pieces_[term] : 1;
      if (!distribution_.at_owners.empty()) distribution_.at_owners[term] = false;
    }
  }

  bool takes_less(int step, const std::vector<std::size_t>& terms, const std::string& name) {
    give(terms, name);
    const double seconds = seconds_of(step);
    if (seconds >= least_s_) return false;
    least_s_ = seconds;
    return true;
  }

  /// Infinite where it has no plan, or is known to take longer than the shortest so far.
  double seconds_of(int step) {
    try {
      const PlannedWork work =
          work_of_steps(program_, distribution_, machine_,
                        plan_step(program_, distribution_, machine_, settings_, mode_, step), mode_);
      return seconds_(work.plan, work.summary, work.contraction, machine_, least_s_);
    } catch (const InputError&) {
      return std::numeric_limits<double>::infinity();
    }
  }

  const FusedProgram& program_;
  const Machine& machine_;
  const Settings& settings_;
  ProgramMode mode_;
  const WorkSeconds& seconds_;
  std::vector<std::string> others_;
  ProgramDistribution distribution_;
  std::vector<int> pieces_;  // of terms without a strategy of their own
  double least_s_ = 0;       // of this step, so far
};

}  // namespace

std::vector<std::string> take_named_strategies(const FusedProgram& program, Settings& settings) {
  const std::vector<std::string> known = strategies_for_terms();
  if (const auto all = settings.find("strategy"); all != settings.end()) {
    std::vector<std::string> expected = known;
    expected.push_back("auto");
    all->second = check_strategy(all->first, all->second, expected);
  }
  std::vector<std::string> names;
  const auto first = settings.lower_bound(std::string(kOfTerm));
  auto setting = first;
  for (; setting != settings.end() && setting->first.starts_with(kOfTerm); ++setting) {
    names.resize(program.terms().size());
    const std::size_t term = term_named(program, setting->first);
    names[term] = check_strategy(setting->first, setting->second, known);
  }
  settings.erase(first, setting);
  return names;
}

ProgramDistribution choose_strategies(const FusedProgram& program, ProgramDistribution distribution,
                                      const Machine& machine, const Settings& settings, ProgramMode mode,
                                      const WorkSeconds& seconds) {
  TermChoice choice(program, std::move(distribution), machine, settings, mode, seconds);
  int number = 0;
  for (const std::vector<std::size_t>& terms : terms_of_steps(program, mode)) choice.choose(++number, terms);
  return choice.distribution();
}

}  // namespace foretile
