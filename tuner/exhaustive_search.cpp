// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/search.hpp"

namespace foretile {

namespace {

class ExhaustiveSearch : public Search {
 public:
  explicit ExhaustiveSearch(const Space& space) : space_(space) {}

  std::optional<Candidate> next() override {
    if (index_ == space_.size()) return std::nullopt;
    return space_.at(index_++);
  }

  void tell(const Candidate&, const Outcome&) override {}

 private:
  Space space_;
  std::uint64_t index_ = 0;
};

}  // namespace

std::unique_ptr<Search> make_exhaustive_search(const Space& space, std::uint64_t) {
  return std::make_unique<ExhaustiveSearch>(space);
}

}  // namespace foretile
