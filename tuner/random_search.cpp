// SPDX-License-Identifier: BSD-3-Clause
#include <unordered_map>

#include "base/random.hpp"
#include "tuner/search.hpp"

namespace foretile {

namespace {

/// A Fisher-Yates shuffle (Knuth, The Art of Computer Programming 2, algorithm P) of the indices 0 to size -
/// 1, of which only the cells that were moved are stored.
class Shuffle {
 public:
  Shuffle(std::uint64_t size, std::uint64_t seed) : left_(size), random_(seed) {}

  std::optional<std::uint64_t> draw() {
    if (left_ == 0) return std::nullopt;
    const auto chosen = static_cast<std::uint64_t>(random_.integer(0, static_cast<std::int64_t>(left_ - 1)));
    const std::uint64_t drawn = cell(chosen);
    --left_;
    moved_[chosen] = cell(left_);
    moved_.erase(left_);
    return drawn;
  }

 private:
  std::uint64_t cell(std::uint64_t index) const {
    const auto found = moved_.find(index);
    return found == moved_.end() ? index : found->second;
  }

  std::uint64_t left_;
  Random random_;
  std::unordered_map<std::uint64_t, std::uint64_t> moved_;
};

class RandomSearch : public Search {
 public:
  RandomSearch(const Space& space, std::uint64_t seed) : space_(space), shuffle_(space.size(), seed) {}

  std::optional<Candidate> next() override {
    const auto index = shuffle_.draw();
    if (!index) return std::nullopt;
    return space_.at(*index);
  }

  void tell(const Candidate&, const Outcome&) override {}

 private:
  Space space_;
  Shuffle shuffle_;
};

}  // namespace

std::unique_ptr<Search> make_random_search(const Space& space, std::uint64_t seed) {
  return std::make_unique<RandomSearch>(space, seed);
}

}  // namespace foretile
