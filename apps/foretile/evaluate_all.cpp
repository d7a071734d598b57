// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/evaluate_all.hpp"

#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "tuner/workers.hpp"

namespace foretile {

std::vector<Evaluation> evaluate_all(std::vector<Candidate> candidates, const CostFunction& cost,
                                     ProgressLine& line, const std::string& stage,
                                     const std::function<bool()>& stop) {
  constexpr double kDay_s = 86400, kBetweenPolls_s = 0.1;
  WorkerLimits limits;
  limits.evaluation_s = kDay_s;
  const CountFunction progress = line.stage(stage, std::ssize(candidates));
  Workers workers(cost, limits);
  std::vector<Evaluation> all;
  while (!candidates.empty() || workers.count() > 0) {
    for (; !candidates.empty() && workers.has_room(); candidates.pop_back()) workers.start(candidates.back());
    for (Evaluation& evaluation : workers.wait(kBetweenPolls_s)) all.push_back(std::move(evaluation));
    if (stop && stop()) throw WorkError("stopped");
    if (progress) progress(std::ssize(all));
  }
  return all;
}

}  // namespace foretile
