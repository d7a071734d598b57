#include "planner/verify.hpp"

#include "planner/graph.hpp"
#include "planner/verify/frame.hpp"
#include "planner/verify/rank_check.hpp"

namespace foretile {

PlanSummary verify(const Plan& plan, const Contraction& contraction, const CountFunction& progress) {
  check_frame(plan);
  RankCheck check(plan, contraction, progress);
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) check.run(static_cast<int>(rank));
  PlanSummary summary = check.finish();
  require_acyclic(plan);
  return summary;
}

}  // namespace foretile
