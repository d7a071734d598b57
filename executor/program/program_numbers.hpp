// SPDX-License-Identifier: BSD-3-Clause
// Numbers of the tensors that a program is given.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "planner/tensor/program_tensors.hpp"

namespace foretile {

/// A spin orbital: of which space, which of its orbitals, and its spin. Spatial ones count as alpha.
struct SpinOrbital {
  std::uint64_t space = 0;
  std::int64_t orbital = 0;
  bool beta = false;

  friend bool operator==(const SpinOrbital&, const SpinOrbital&) = default;
};

/// Of each space: by the number of a spin orbital, alpha before beta, what it is.
class SpinOrbitals {
 public:
  explicit SpinOrbitals(const std::vector<LabelledTiles>& tiles);
  std::int64_t count(std::size_t space) const { return all_[space]; }
  SpinOrbital at(std::size_t space, std::int64_t number) const;
  /// Number of the same orbital of the other spin.
  std::int64_t of_other_spin(std::size_t space, std::int64_t number) const;
  /// Number of the first spin orbital of a tile.
  std::int64_t begin(std::size_t space, std::int32_t tile) const {
    return begins_[space][static_cast<std::size_t>(tile)];
  }

 private:
  std::vector<std::int64_t> all_, of_spin_;
  std::vector<std::vector<std::int64_t>> begins_;
};

/// Where the blocks of given tensors come from. Calls may come from any thread.
class ProgramNumbers {
 public:
  virtual ~ProgramNumbers() = default;
  /// Writes a block, the first index fastest. `begins` and `extents` by position: its spin orbitals.
  virtual void fill(const ProgramTensor& tensor, const std::vector<std::int64_t>& begins,
                    const std::vector<std::int64_t>& extents, double* to) const = 0;
};

/// Random numbers with all symmetries that a closed shell has: a sum over the orders of the lower indices,
/// with their signs, of functions of pairs of an upper and a lower orbital of equal spin. Of spatial orbitals
/// functions of all indices, alike where the tensor is symmetric.
class SeededNumbers final : public ProgramNumbers {
 public:
  /// Both must outlive this.
  SeededNumbers(const SpinOrbitals& orbitals, std::uint64_t seed) : orbitals_(orbitals), seed_(seed) {}
  void fill(const ProgramTensor& tensor, const std::vector<std::int64_t>& begins,
            const std::vector<std::int64_t>& extents, double* to) const override;

 private:
  double spatial_value(const ProgramTensor& tensor, const std::vector<std::int64_t>& at) const;
  double value(const ProgramTensor& tensor, const std::vector<std::int64_t>& at) const;

  const SpinOrbitals& orbitals_;
  std::uint64_t seed_;
};

/// Calls visit(at) for all numbers of the box, the first one fastest. `at` are absolute.
template <class Visit>
void for_each_element(const std::vector<std::int64_t>& begins, const std::vector<std::int64_t>& extents,
                      const Visit& visit) {
  for (const std::int64_t extent : extents) {
    if (extent == 0) return;
  }
  std::vector<std::int64_t> at = begins;
  while (true) {
    visit(at);
    std::size_t p = 0;
    while (p < at.size() && ++at[p] == begins[p] + extents[p]) {
      at[p] = begins[p];
      ++p;
    }
    if (p == at.size()) return;
  }
}

}  // namespace foretile
