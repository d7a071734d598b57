// SPDX-License-Identifier: BSD-3-Clause
// A list of tensor equations, such as the residual of coupled cluster, that are computed together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretile {

/// Orbitals of either spin, or functions of an auxiliary basis: vectors of a Cholesky decomposition, or
/// functions of density fitting.
enum class SpaceKind : std::uint8_t { occupied, virtuals, auxiliary };

/// What an index counts.
struct IndexSpace {
  char letter = 'h';  ///< with which the names of its indices begin
  SpaceKind kind = SpaceKind::occupied;
};

/// An index of a tensor in a term: h10. Equal names are equal indices.
struct TermIndex {
  std::string name;
  std::size_t space = 0;  ///< of Program::spaces
  int column = 0;         ///< in its line, from 1

  friend bool operator==(const TermIndex& x, const TermIndex& y) { return x.name == y.name; }
};

/// A tensor with its indices: the first half are upper ones, the others lower ones, unless the program has no
/// halves. Tensors of spin orbitals are antisymmetric in the upper indices of one space, and in the lower
/// ones; those of spatial orbitals are not.
struct TensorUse {
  std::string tensor;
  std::vector<TermIndex> indices;
  int column = 0;
  bool spatial = false;  ///< Program::spatial
  bool halves = true;    ///< Program::halves

  /// How many indices are upper ones; without halves the first one counts as such.
  std::size_t upper() const { return halves ? indices.size() / 2 : std::min<std::size_t>(1, indices.size()); }
};

/// result += factor operand operand, summed over the indices that both operands have; or result += factor
/// operand. Where two like indices of a half of the result come from different operands, the result is
/// antisymmetrized, unless orbitals are spatial.
struct ProgramTerm {
  std::string name;
  TensorUse result;
  double factor = 1;
  std::vector<TensorUse> operands;  ///< one or two
  int line = 0;
  std::vector<std::size_t> after =
      {};  ///< terms that must be over before, also where it reads nothing of them

  bool is_product() const { return operands.size() == 2; }
};

enum class TensorRole : std::uint8_t { given, intermediate, result };

/// "given", "intermediate", "result"
std::string_view name_of(TensorRole role);

/// Some of the blocks of a tensor: those with tiles of some positions in one of several ranges. Tuples of
/// these tiles are in lexicographic order, and each range has about as many elements.
struct TensorSlice {
  std::vector<std::size_t> positions;
  std::size_t part = 0, parts = 1;
};

/// By position, the letters of the spaces that an index may have. Intermediates need none.
struct TensorDeclaration {
  std::string name;
  std::vector<std::string> spaces;
  TensorRole role = TensorRole::given;  ///< given before the program begins, or computed by it
  /// Elements are equal where their indices are exchanged like this: position p with mirror[p]. Empty: none
  /// are.
  std::vector<std::size_t> mirror = {};
  bool on_demand = false;  ///< an intermediate that need not be whole at any time: one product writes it
  std::optional<TensorSlice> slice = {};  ///< nothing: it is whole
};

struct Program {
  bool spatial = false;  ///< indices count spatial orbitals, without spin, and tensors have no antisymmetry
  bool halves = true;    ///< tensors have as many upper as lower indices; else any number, not told apart
  std::vector<IndexSpace> spaces;
  std::vector<TensorDeclaration> tensors;  ///< that are declared
  std::vector<ProgramTerm> terms;          ///< in the order of the text

  /// nullptr: not declared.
  const TensorDeclaration* declared(const std::string& tensor) const {
    const auto found = std::ranges::find(tensors, tensor, &TensorDeclaration::name);
    return found == tensors.end() ? nullptr : &*found;
  }
  bool is_on_demand(const std::string& tensor) const {
    const TensorDeclaration* const found = declared(tensor);
    return found && found->on_demand;
  }
};

}  // namespace foretile
