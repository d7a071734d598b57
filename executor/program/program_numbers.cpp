// SPDX-License-Identifier: BSD-3-Clause
#include "executor/program/program_numbers.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "base/random.hpp"

namespace foretile {

SpinOrbitals::SpinOrbitals(const std::vector<LabelledTiles>& tiles) {
  for (const LabelledTiles& space : tiles) {
    auto& begins = begins_.emplace_back();
    std::int64_t begin = 0;
    for (const std::int64_t extent : space.extents) {
      begins.push_back(begin);
      begin += extent;
    }
    all_.push_back(begin);
    of_spin_.push_back(space.with_spin ? begin / 2 : begin);
  }
}

SpinOrbital SpinOrbitals::at(std::size_t space, std::int64_t number) const {
  const bool beta = number >= of_spin_[space];
  return {space, beta ? number - of_spin_[space] : number, beta};
}

std::int64_t SpinOrbitals::of_other_spin(std::size_t space, std::int64_t number) const {
  return (number + of_spin_[space]) % all_[space];
}

void SeededNumbers::fill(const ProgramTensor& tensor, const std::vector<std::int64_t>& begins,
                         const std::vector<std::int64_t>& extents, double* to) const {
  for_each_element(begins, extents, [&](const auto& at) { *to++ = value(tensor, at); });
}

namespace {

constexpr std::size_t kMostPairs = kMostTensorIndices / 2;

std::uint64_t bits_of(const SpinOrbital& upper, const SpinOrbital& lower) {
  const std::array<std::uint64_t, 4> words{upper.space, static_cast<std::uint64_t>(upper.orbital),
                                           lower.space, static_cast<std::uint64_t>(lower.orbital)};
  std::uint64_t bits = 0;
  for (const std::uint64_t word : words) bits = counter_bits(bits, word);
  return bits;
}

std::uint64_t bits_of(const std::string& text) {
  std::uint64_t bits = 0;
  for (const char c : text) bits = counter_bits(bits, static_cast<unsigned char>(c));
  return bits;
}

}  // namespace

/// Elements that are equal by symmetry are made from the lesser of their places.
double SeededNumbers::spatial_value(const ProgramTensor& tensor, const std::vector<std::int64_t>& at) const {
  std::vector<std::int64_t> place = at;
  if (const auto& mirror = tensor.rules.mirror; !mirror.empty()) {
    for (std::size_t p = 0; p < at.size(); ++p) place[p] = at[mirror[p]];
    place = std::min(place, at);
  }
  std::uint64_t all = counter_bits(seed_, bits_of(tensor.name));
  for (std::size_t p = 0; p < at.size(); ++p)
    all = counter_bits(counter_bits(all, tensor.rules.spaces[p]), static_cast<std::uint64_t>(place[p]));
  return 2 * unit_real(all) - 1;
}

double SeededNumbers::value(const ProgramTensor& tensor, const std::vector<std::int64_t>& at) const {
  if (!tensor.rules.closed_shell) return spatial_value(tensor, at);
  const std::size_t pairs = tensor.rules.upper;
  const auto orbital = [&](std::size_t position) {
    return orbitals_.at(tensor.rules.spaces[position], at[position]);
  };
  std::array<std::size_t, kMostPairs> orders{};
  std::array<std::uint64_t, kMostPairs> words{};
  const auto order = std::span(orders).first(pairs);
  const auto bits = std::span(words).first(pairs);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::uint64_t seed = counter_bits(seed_, bits_of(tensor.name));
  double sum = 0;
  do {
    double sign = 1;
    bool conserved = true;
    for (std::size_t p = 0; p < pairs && conserved; ++p) {
      const SpinOrbital upper = orbital(p), lower = orbital(pairs + order[p]);
      conserved = upper.beta == lower.beta;
      bits[p] = bits_of(upper, lower);
      for (std::size_t q = p + 1; q < pairs; ++q) sign = order[q] < order[p] ? -sign : sign;
    }
    if (!conserved) continue;
    std::uint64_t all = seed;
    std::ranges::make_heap(bits);  // pairs have no order; GCC warns of std::sort on so few
    std::ranges::sort_heap(bits);
    for (const std::uint64_t one : bits) all = counter_bits(all, one);
    sum += sign * (2 * unit_real(all) - 1);
  } while (std::next_permutation(order.begin(), order.end()));
  return sum;
}

}  // namespace foretile
