// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include "tuner/search.hpp"

namespace foretile {

namespace {

class FirstCandidates : public Search {
 public:
  FirstCandidates(std::vector<Candidate> first, std::unique_ptr<Search> rest)
      : first_(std::move(first)), rest_(std::move(rest)) {}

  std::optional<Candidate> next() override {
    while (position_ < first_.size()) {
      const Candidate& candidate = first_[position_++];
      if (proposed_.insert(candidate).second) return candidate;
    }
    auto candidate = rest_->next();
    while (candidate && proposed_.contains(*candidate)) candidate = rest_->next();
    return candidate;
  }

  void tell(const Candidate& candidate, const Outcome& outcome) override { rest_->tell(candidate, outcome); }

 private:
  std::vector<Candidate> first_;
  std::unique_ptr<Search> rest_;
  std::size_t position_ = 0;
  std::set<Candidate> proposed_;
};

}  // namespace

std::unique_ptr<Search> make_first_candidates(std::vector<Candidate> first, std::unique_ptr<Search> rest) {
  return std::make_unique<FirstCandidates>(std::move(first), std::move(rest));
}

}  // namespace foretile
