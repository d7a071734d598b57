// SPDX-License-Identifier: BSD-3-Clause
#include "tuner/boxes.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "tuner/search.hpp"

namespace foretile {

namespace {

Box box_at(const Candidate& corner, const Space& inside, std::uint64_t seed,
           const std::function<double(const Candidate&)>& first_bound) {
  Candidate candidate = corner;
  if (inside.size() == 0) return box_of(candidate, first_bound(candidate));
  candidate.merge(inside.at(0));
  const std::shared_ptr<Search> order = make_random_search(inside, seed);
  return {first_bound(candidate), [corner, order] {
            auto next = order->next();
            if (next) next->insert(corner.begin(), corner.end());
            return next;
          }};
}

}  // namespace

Boxes boxes_of(const Space& space, std::uint64_t seed, const std::function<bool(std::size_t)>& enough,
               const std::function<bool(const std::string&)>& decides,
               const std::function<double(const Candidate&)>& first_bound) {
  std::vector<Parameter> deciding, free;
  for (const Parameter& parameter : space.parameters())
    (decides(parameter.name) ? deciding : free).push_back(parameter);
  const Space inside(std::move(free));
  if (deciding.empty()) {
    if (inside.size() == 0) return {};
    return {{box_at({}, inside, seed, first_bound)}, true};
  }
  const Space corners(std::move(deciding));
  const auto order = make_random_search(corners, seed);
  Boxes boxes;
  for (auto corner = order->next(); corner && !enough(boxes.boxes.size()); corner = order->next())
    boxes.boxes.push_back(box_at(*corner, inside, seed, first_bound));
  boxes.all = boxes.boxes.size() == corners.size();
  return boxes;
}

}  // namespace foretile
