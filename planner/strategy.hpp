// The interface behind which the ways of planning stand; one file each in strategies/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "planner/contraction.hpp"
#include "planner/plan.hpp"
#include "platforms/machine.hpp"

namespace foretile {

struct ParameterInfo {
  std::string key;
  std::string default_value;
  std::string meaning;
  /// What the tuner tries when nobody says what; none: it leaves the default. For "grid.p" the divisors of
  /// the number of ranks are added.
  std::vector<std::string> tries = {};
};

/// Plans rank after rank from what is known of the whole problem.
class RankPlanner {
 public:
  virtual ~RankPlanner() = default;
  /// Everything but the ranks.
  virtual Plan frame() const = 0;
  /// Time linear in the rank's share of the nonzeros. Throws InputError when its part does not fit, saying
  /// how many bytes are missing and what to change.
  virtual RankPlan plan_rank(int rank) const = 0;
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  virtual std::string name() const = 0;
  virtual std::vector<ParameterInfo> parameters() const = 0;
  /// The contraction must outlive the result. Throws InputError for impossible settings.
  virtual std::unique_ptr<RankPlanner> prepare(const Contraction& contraction, const Machine& machine,
                                               const Settings& settings) const = 0;
};

/// All strategies, the default one first.
const std::vector<std::unique_ptr<Strategy>>& strategies();

/// The strategy of this name. Throws InputError that lists the names.
const Strategy& find_strategy(const std::string& name);

/// The strategy named by the setting "strategy" (default: the first), with its defaults filled in. Throws
/// InputError for keys that it does not know,
/// and for a precision for which the platform has no figures.
std::unique_ptr<RankPlanner> prepare_planner(const Contraction& contraction, const Machine& machine,
                                             const Settings& settings);

/// Plans every rank.
Plan make_plan(const Contraction& contraction, const Machine& machine, const Settings& settings);

}  // namespace foretile
