// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/tamm_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "platforms/cost/addition.hpp"

namespace foretile {

namespace {

// Passes over the numbers of a block in host memory, or between it and the device, as TAMM's code has them.
constexpr double kOperandPasses = 1;  // copied to the device
constexpr double kResultPasses = 3;   // copied to the host, added, written
constexpr double kCopyPasses = 3;     // of a term with one operand: permuted, added, written
constexpr double kMadePasses = 7;     // of an on-demand block: copied to the host, zeroed and added there,
                                      // copied back
constexpr double kUpdatePasses = 14;  // spin copies, combinations, update and history of an iteration

constexpr double kMostBlocks = 2e7;  // of a tensor

/// All numbers that tiles of these counts and strides make, the last one fastest.
std::vector<std::int64_t> block_numbers(const std::vector<std::int64_t>& counts,
                                        const std::vector<std::int64_t>& strides) {
  std::vector<std::int64_t> numbers{0};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::vector<std::int64_t> longer;
    longer.reserve(numbers.size() * static_cast<std::size_t>(counts[i]));
    for (const std::int64_t number : numbers) {
      for (std::int64_t tile = 0; tile < counts[i]; ++tile) longer.push_back(number + tile * strides[i]);
    }
    numbers = std::move(longer);
  }
  return numbers;
}

}  // namespace

BlockLine::BlockLine(const std::vector<std::int64_t>& counts, const std::vector<std::int64_t>& extents,
                     int ranks) {
  std::vector<double> sizes{1};  // of blocks, the last index fastest
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::vector<std::int64_t> tiles = even_extents(extents[i], counts[i]);
    std::vector<double> longer;
    longer.reserve(sizes.size() * tiles.size());
    for (const double size : sizes) {
      for (const std::int64_t tile : tiles) longer.push_back(size * static_cast<double>(tile));
    }
    sizes = std::move(longer);
  }
  const double share = std::accumulate(sizes.begin(), sizes.end(), 0.0) / ranks;
  double begin = 0;
  for (const double size : sizes) {
    rank_of_.push_back(std::min(ranks - 1, static_cast<int>(begin / share)));
    begin += size;
  }
}

/// A term with the tiles of its indices.
struct TammWork::Counted {
  TensorTerm term;
  IndexList summed;
  std::vector<std::int64_t> counts;  // by index

  std::vector<std::int64_t> counts_of(const IndexList& indices) const {
    std::vector<std::int64_t> list;
    for (const std::size_t index : indices) list.push_back(counts[index]);
    return list;
  }
  std::int64_t blocks_of(const IndexList& indices) const {
    std::int64_t product = 1;
    for (const std::size_t index : indices) product *= counts[index];
    return product;
  }
  /// Of a tensor's block number, by these indices.
  std::vector<std::int64_t> strides(const IndexedTensor& tensor, const IndexList& indices) const {
    std::vector<std::int64_t> list(indices.size(), 0);
    std::int64_t stride = 1;
    for (std::size_t p = tensor.indices.size(); p-- > 0;) {
      const auto found = std::ranges::find(indices, tensor.indices[p]);
      if (found != indices.end()) list[static_cast<std::size_t>(found - indices.begin())] = stride;
      stride *= counts[tensor.indices[p]];
    }
    return list;
  }
  std::vector<std::int64_t> numbers(const IndexedTensor& tensor, const IndexList& indices) const {
    return block_numbers(counts_of(indices), strides(tensor, indices));
  }
};

TammWork::TammWork(const Program& program, const std::vector<LabelledTiles>& tiles, const Machine& machine,
                   const std::string& source, TammLosses losses)
    : program_(program),
      tiles_(tiles),
      machine_(machine),
      losses_(losses),
      tensors_(tensors_of(program)),
      order_(order_of_terms(program, source)) {
  if (!program.spatial)
    throw input_error(source, "spin orbitals", "orbitals = spatial, as TAMM's closed-shell programs have them",
                      "use --original nwchem");
  for (const TermOrder& order : order_) levels_ = std::max(levels_, order.level);
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    if (program.is_on_demand(tensors_[t].name)) continue;
    std::vector<std::int64_t> counts, extents;
    for (const std::size_t space : tensors_[t].rules.spaces) {
      counts.push_back(tiles[space].count());
      extents.push_back(
          std::accumulate(tiles[space].extents.begin(), tiles[space].extents.end(), std::int64_t{0}));
    }
    double blocks = 1;
    for (const std::int64_t count : counts) blocks *= static_cast<double>(count);
    if (blocks > kMostBlocks)
      throw input_error(source, fmt::format("{:.2g} blocks of {}", blocks, text_of(tensors_[t], program)),
                        fmt::format("at most {:.0g}", kMostBlocks), "take larger tiles");
    lines_.emplace(t, BlockLine(counts, extents, machine.devices()));
  }
}

IndexList TammWork::spaces_of(const TensorUse& use) const {
  return tensors_[number_of(use, tensors_)].rules.spaces;
}

double TammWork::mean_extent(std::size_t space) const {
  const auto& extents = tiles_[space].extents;
  return std::accumulate(extents.begin(), extents.end(), 0.0) / static_cast<double>(extents.size());
}

double TammWork::elements(const IndexList& spaces) const {
  double product = 1;
  for (const std::size_t space : spaces) product *= mean_extent(space);
  return product;
}

double TammWork::host_seconds(double bytes) const {
  if (!losses_.passes) return 0;
  const double rate = machine_.platform.tamm.host_bytes_per_s;
  if (rate > 0) return bytes / rate;
  return block_seconds(machine_.platform, static_cast<std::int64_t>(bytes), false);
}

double TammWork::product_seconds(double m, double n, double k) const {
  const auto whole = [](double extent) { return std::max<std::int64_t>(1, std::llround(extent)); };
  const double rounded =
      static_cast<double>(whole(m)) * static_cast<double>(whole(n)) * static_cast<double>(whole(k));
  const KernelModel& kernel = machine_.platform.device.kernel_for(Precision::f64);
  return kernel.seconds(whole(m), whole(n), whole(k)) * (m * n * k / rounded);
}

TammWork::Counted TammWork::counted(const TensorTerm& term) const {
  Counted counted{term, {}, {}};
  if (term.operands.size() == 2) counted.summed = summed_indices(term);
  for (const std::size_t space : term.spaces) counted.counts.push_back(tiles_[space].count());
  return counted;
}

std::vector<TammTermWork> TammWork::of_level(int level) const {
  std::vector<TammTermWork> all;
  for (std::size_t t = 0; t < order_.size(); ++t) {
    if (order_[t].level == level && !program_.is_on_demand(program_.terms[t].result.tensor))
      all.push_back(work_of(t));
  }
  return all;
}

TammTermWork TammWork::work_of(std::size_t number) const {
  const ProgramTerm& term = program_.terms[number];
  const Counted outer = counted(tensor_term(term));
  TammTermWork work;
  work.number = number;
  work.tensor = number_of(term.result, tensors_);
  work.sums = outer.blocks_of(outer.summed);
  const double c_bytes = sizeof(double) * elements(spaces_of(term.result));
  work.result.host = (term.is_product() ? kResultPasses : kCopyPasses) * host_seconds(c_bytes);
  for (std::size_t operand = 0; operand < term.operands.size(); ++operand)
    add_fetches(work, outer, operand, term);
  if (!term.is_product()) return work;
  double k = 1, a = 1, b = 1;
  for (const std::size_t index : outer.summed) k *= mean_extent(outer.term.spaces[index]);
  a = elements(spaces_of(term.operands[0])) / k;
  b = elements(spaces_of(term.operands[1])) / k;
  work.step.product += product_seconds(a, b, k);
  work.gemms_of_step += 1;
  work.flops_of_step += 2 * a * b * k;
  return work;
}

void TammWork::add_fetches(TammTermWork& work, const Counted& outer, std::size_t operand,
                           const ProgramTerm& term) const {
  const TensorUse& use = term.operands[operand];
  const IndexedTensor& tensor = outer.term.operands[operand];
  const double bytes = sizeof(double) * elements(spaces_of(use));
  if (!program_.is_on_demand(use.tensor)) {
    TammFetch fetch;
    fetch.line = &lines_.at(number_of(use, tensors_));
    fetch.of_result = outer.numbers(tensor, outer.term.result.indices);
    fetch.of_sum = outer.numbers(tensor, outer.summed);
    fetch.bytes = bytes;
    work.step.host += term.is_product() ? kOperandPasses * host_seconds(bytes) : 0;
    work.fetches.push_back(std::move(fetch));
    return;
  }
  add_making(work, outer, tensor, bytes);
}

/// The on-demand operand's blocks, made by the one product that writes it.
void TammWork::add_making(TammTermWork& work, const Counted& outer, const IndexedTensor& made,
                          double bytes) const {
  const ProgramTerm& maker =
      *std::ranges::find(program_.terms, made.name, [](const ProgramTerm& term) { return term.result.tensor; });
  const Counted inner = counted(tensor_term(maker));
  const auto sums = static_cast<double>(inner.blocks_of(inner.summed));
  double uses = 1;  // of a block: the result's indices that it lacks
  for (const std::size_t index : outer.term.result.indices) {
    if (!has_index(made, index)) uses *= static_cast<double>(outer.counts[index]);
  }
  const double share = losses_.remake ? 1 : 1 / uses;
  double k = 1;
  for (const std::size_t index : inner.summed) k *= mean_extent(inner.term.spaces[index]);
  std::array<double, 2> others{};  // elements along M and N
  for (std::size_t part = 0; part < 2; ++part) {
    const double of_block = elements(spaces_of(maker.operands[part]));
    TammFetch fetch = making_fetch(outer, made, inner, part);
    fetch.line = &lines_.at(number_of(maker.operands[part], tensors_));
    fetch.bytes = share * sizeof(double) * of_block;
    work.step.host += sums * kOperandPasses * host_seconds(fetch.bytes);
    work.fetches.push_back(std::move(fetch));
    others.at(part) = of_block / k;
  }
  work.step.host += kMadePasses * host_seconds(share * bytes);
  work.step.product += share * sums * product_seconds(others[0], others[1], k);
  work.gemms_of_step += share * sums;
  work.flops_of_step += share * sums * 2 * others[0] * others[1] * k;
}

/// Blocks of an operand of `inner`, whose result is `made`, an operand of `outer`.
TammFetch TammWork::making_fetch(const Counted& outer, const IndexedTensor& made, const Counted& inner,
                                 std::size_t part) const {
  const IndexedTensor& operand = inner.term.operands[part];
  const std::vector<std::int64_t> strides =
      inner.strides(operand, inner.term.result.indices);  // by position of `made`
  const auto numbers = [&](const IndexList& indices) {
    std::vector<std::int64_t> of_indices(indices.size(), 0);
    for (std::size_t p = 0; p < made.indices.size(); ++p) {
      const auto found = std::ranges::find(indices, made.indices[p]);
      if (found != indices.end()) of_indices[static_cast<std::size_t>(found - indices.begin())] = strides[p];
    }
    return block_numbers(outer.counts_of(indices), of_indices);
  };
  return {.of_result = numbers(outer.term.result.indices),
          .of_sum = numbers(outer.summed),
          .of_inner = inner.numbers(operand, inner.summed)};
}

std::vector<double> TammWork::update_seconds() const {
  std::vector<double> seconds(static_cast<std::size_t>(machine_.devices()), 0);
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    if (tensors_[t].role != TensorRole::result) continue;
    const BlockLine& line = lines_.at(t);
    const double one = kUpdatePasses * host_seconds(sizeof(double) * elements(tensors_[t].rules.spaces));
    for (std::int64_t block = 0; block < line.blocks(); ++block)
      seconds[static_cast<std::size_t>(line.rank_of(block))] += one;
  }
  return seconds;
}

}  // namespace foretile
