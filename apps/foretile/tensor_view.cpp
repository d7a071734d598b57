// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile/tensor_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "apps/quantities.hpp"
#include "planner/problem/kinds/tensor.hpp"

namespace foretile {

namespace {

constexpr std::array<const char*, 3> kMatrices{"A", "B", "C"};

struct FusionView {
  TensorFusion fused;
  double element_bytes = 0;

  const IndexedTensor& tensor(std::size_t matrix) const {
    return matrix == 2 ? fused.term.result : fused.term.operands[fused.fusion.operand.at(matrix)];
  }
  std::vector<std::string> names(const IndexList& indices) const {
    std::vector<std::string> list;
    for (const std::size_t index : indices) list.push_back(fused.term.names[index]);
    return list;
  }
  /// In the order in which the matrix has them.
  IndexList matrix_indices(std::size_t matrix) const {
    IndexList first = matrix == 1 ? fused.fusion.k : fused.fusion.m;
    const IndexList& second = matrix == 0 ? fused.fusion.k : fused.fusion.n;
    first.insert(first.end(), second.begin(), second.end());
    return first;
  }
  double permuted_bytes(std::size_t matrix) const { return element_bytes * fused.permuted.at(matrix); }
  double bytes(std::size_t matrix) const { return element_bytes * fused.elements.at(matrix); }
};

std::optional<FusionView> view_of(const Problem& problem) {
  const auto fused = fusion_of(problem);
  if (!fused) return std::nullopt;
  return FusionView{*fused, static_cast<double>(build_contraction(problem).element_bytes())};
}

std::string permutation_text(const FusionView& view, std::size_t matrix) {
  const double bytes = view.permuted_bytes(matrix);
  if (bytes == 0) return "as it is stored";
  const std::string cost = fmt::format("{} are read and written once", quantity(bytes, "B"));
  if (view.fused.fusion.fits.at(matrix)) return "antisymmetric tiles in another order: " + cost;
  return fmt::format("permuted to {}: {}", fmt::join(view.names(view.matrix_indices(matrix)), " "), cost);
}

}  // namespace

std::string fusion_text(const Problem& problem) {
  const auto view = view_of(problem);
  if (!view) return {};
  const Fusion& fusion = view->fused.fusion;
  std::string text =
      fmt::format("\nfused      M = {}   N = {}   K = {}\n", fmt::join(view->names(fusion.m), " "),
                  fmt::join(view->names(fusion.n), " "), fmt::join(view->names(fusion.k), " "));
  for (std::size_t matrix = 0; matrix < 3; ++matrix) {
    const IndexedTensor& tensor = view->tensor(matrix);
    text += fmt::format("  {} is {}[{}], {}\n", kMatrices.at(matrix), tensor.name,
                        fmt::join(view->names(tensor.indices), ","), permutation_text(*view, matrix));
    if (matrix == 2) continue;
    text += fmt::format(
        "       {} blocks are stored, {}\n", grouped(view->fused.blocks.at(matrix)),
        quantity(view->element_bytes * static_cast<double>(view->fused.stored_elements.at(matrix)), "B"));
  }
  return text;
}

nlohmann::ordered_json fusion_json(const Problem& problem) {
  const auto view = view_of(problem);
  if (!view) return nullptr;
  const Fusion& fusion = view->fused.fusion;
  nlohmann::ordered_json json{
      {"M", view->names(fusion.m)}, {"N", view->names(fusion.n)}, {"K", view->names(fusion.k)}};
  for (std::size_t matrix = 0; matrix < 3; ++matrix) {
    nlohmann::ordered_json one{{"tensor", view->tensor(matrix).name},
                               {"indices", view->names(view->tensor(matrix).indices)},
                               {"bytes", view->bytes(matrix)},
                               {"permuted_bytes", view->permuted_bytes(matrix)}};
    if (matrix < 2) {
      one["stored_blocks"] = view->fused.blocks.at(matrix);
      one["stored_bytes"] = view->element_bytes * static_cast<double>(view->fused.stored_elements.at(matrix));
    }
    json[kMatrices.at(matrix)] = std::move(one);
  }
  return json;
}

}  // namespace foretile
