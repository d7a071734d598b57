// SPDX-License-Identifier: BSD-3-Clause
#include "planner/program/term_steps.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace foretile {

namespace {

class StepLister {
 public:
  StepLister(const std::vector<TermOrder>& order, const std::vector<double>& work, double enough)
      : order_(order), work_(work), enough_(enough), step_of_(order.size(), kNever) {
    for (const double of_term : work) behind_.push_back({0, of_term});
    std::vector<std::size_t> terms(order.size());
    std::iota(terms.begin(), terms.end(), std::size_t{0});
    std::ranges::stable_sort(terms, std::ranges::greater{},
                             [&](std::size_t term) { return order[term].level; });
    for (const std::size_t term : terms) {
      for (const std::size_t before : order[term].depends_on)
        behind_[before] =
            std::max(behind_[before], Chain{behind_[term].terms + 1, work[before] + behind_[term].work});
    }
  }

  std::vector<std::vector<std::size_t>> steps() {
    std::vector<std::vector<std::size_t>> steps;
    for (std::size_t listed = 0; listed < order_.size(); listed += steps.back().size())
      steps.push_back(next(steps.size()));
    return steps;
  }

 private:
  static constexpr std::size_t kNever = ~std::size_t{0};

  /// Terms that wait for each other.
  struct Chain {
    int terms = 0;  // behind the first
    double work = 0;

    friend bool operator<(const Chain& l, const Chain& r) {
      return std::pair(l.terms, l.work) < std::pair(r.terms, r.work);
    }
  };

  std::vector<std::size_t> next(std::size_t step) {
    std::vector<std::size_t> terms;
    double sum = 0;
    const auto take = [&](std::size_t distance) {
      for (const std::size_t term : free_at(step, distance)) {
        if (!terms.empty() && sum >= enough_) break;
        terms.push_back(term);
        sum += work_[term];
      }
      for (const std::size_t term : terms) step_of_[term] = step;
    };
    take(2);
    take(1);
    return terms;
  }

  /// Terms that are not listed, and whose operands are made in steps up to step - distance. Heaviest first.
  std::vector<std::size_t> free_at(std::size_t step, std::size_t distance) const {
    std::vector<std::size_t> terms;
    for (std::size_t term = 0; term < order_.size(); ++term) {
      const auto early = [&](std::size_t other) {
        return step_of_[other] != kNever && step_of_[other] + distance <= step;
      };
      if (step_of_[term] == kNever && std::ranges::all_of(order_[term].depends_on, early))
        terms.push_back(term);
    }
    std::stable_sort(terms.begin(), terms.end(),
                     [&](std::size_t l, std::size_t r) { return behind_[r] < behind_[l]; });
    return terms;
  }

  const std::vector<TermOrder>& order_;
  const std::vector<double>& work_;
  double enough_;
  std::vector<Chain> behind_;  // from each term
  std::vector<std::size_t> step_of_;
};

}  // namespace

std::vector<std::vector<std::size_t>> steps_of_terms(const std::vector<TermOrder>& order,
                                                     const std::vector<double>& work, double enough) {
  return StepLister(order, work, enough).steps();
}

}  // namespace foretile
