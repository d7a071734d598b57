// Which of the strategies that a problem allows takes least, with the way to their distribution.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "planner/problem/contraction.hpp"
#include "planner/strategies/deal_anew.hpp"
#include "platforms/machine.hpp"

namespace foretile {

struct ComparedStrategy {
  std::string strategy;
  double bound_s = 0;                   ///< of its plan
  std::optional<DealtAnew> dealt = {};  ///< where the settings say where the matrices lie
  std::string refusal = {};             ///< why it has no plan; then nothing else counts

  double seconds() const { return bound_s + (dealt ? dealt->seconds : 0); }
};

/// Plans and proves with each strategy that honours the sources, in their order. Settings deal.a, deal.b and
/// deal.c (deal_setting.hpp; contiguous where one of them is missing) say where the matrices lie, with `grid`
/// for those that are dealt cyclically. Strategies that do not know these keys have their own distribution
/// and are charged with dealing the matrices anew.
std::vector<ComparedStrategy> compare_strategies(const Contraction& contraction, const Machine& machine,
                                                 const Settings& settings);

/// The fastest of them, of equal ones the first, and what it is to plan with. Throws InputError with the
/// first refusal where none has a plan, and for sources that none honours.
Settings fastest_settings(const std::vector<ComparedStrategy>& compared, const Contraction& contraction,
                          const Settings& settings);

/// Whether the settings ask for a comparison: strategy=auto.
bool asks_for_comparison(const Settings& settings);

}  // namespace foretile
