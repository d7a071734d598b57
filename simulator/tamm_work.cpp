// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/tamm_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "platforms/cost/addition.hpp"
#include "platforms/cost/link.hpp"

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

std::int64_t extent_of(const LabelledTiles& tiles) {
  return std::accumulate(tiles.extents.begin(), tiles.extents.end(), std::int64_t{0});
}

bool has(const TensorUse& use, const TermIndex& index) {
  return std::ranges::find(use.indices, index) != use.indices.end();
}

/// Indices of the first operand that the result lacks.
std::vector<TermIndex> summed(const ProgramTerm& term) {
  std::vector<TermIndex> indices;
  for (const TermIndex& index : term.operands.front().indices) {
    if (!has(term.result, index)) indices.push_back(index);
  }
  return indices;
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

TammWork::TammWork(const Program& program, const std::vector<LabelledTiles>& tiles, const Machine& machine,
                   const std::string& source, TammLosses losses)
    : program_(program),
      tiles_(tiles),
      machine_(machine),
      losses_(losses),
      tensors_(tensors_of(program)),
      order_(order_of_terms(program, source)) {
  if (!program.spatial)
    throw input_error(source, "spin orbitals",
                      "orbitals = spatial, as TAMM's closed-shell programs have them",
                      "use --original nwchem");
  for (const TermOrder& order : order_) levels_ = std::max(levels_, order.level);
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    if (tensors_[t].role == TensorRole::given || program.is_on_demand(tensors_[t].name)) continue;
    std::vector<std::int64_t> counts, extents;
    double blocks = 1;
    for (const std::size_t space : tensors_[t].rules.spaces) {
      counts.push_back(tiles[space].count());
      extents.push_back(extent_of(tiles[space]));
      blocks *= static_cast<double>(tiles[space].count());
    }
    if (blocks > kMostBlocks)
      throw input_error(source, fmt::format("{:.2g} blocks of {}", blocks, text_of(tensors_[t], program)),
                        fmt::format("at most {:.0g}", kMostBlocks), "take larger tiles");
    lines_.emplace(t, BlockLine(counts, extents, machine.devices()));
  }
}

double TammWork::tiles_of(const TermIndex& index) const {
  return tiles_[index.space].count();
}

/// Of a tile each: the product of their mean extents.
double TammWork::extents(const std::vector<TermIndex>& indices) const {
  double product = 1;
  for (const TermIndex& index : indices)
    product *= static_cast<double>(extent_of(tiles_[index.space])) / tiles_of(index);
  return product;
}

double TammWork::block_bytes(const TensorUse& use) const {
  return sizeof(double) * extents(use.indices);
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
  TammTermWork work;
  work.number = number;
  work.tensor = number_of(term.result, tensors_);
  work.result.host =
      (term.is_product() ? kResultPasses : kCopyPasses) * host_seconds(block_bytes(term.result));
  for (const TensorUse& use : term.operands) {
    if (program_.is_on_demand(use.tensor)) {
      add_making(work, term, use);
    } else {
      add_gets(work, 1, block_bytes(use));
      if (term.is_product()) work.step.host += kOperandPasses * host_seconds(block_bytes(use));
    }
  }
  if (!term.is_product()) return work;
  for (const TermIndex& index : summed(term)) work.sums *= tiles_[index.space].count();
  add_product(work, term, 1);
  return work;
}

/// Each with the way of the request.
void TammWork::add_gets(TammTermWork& work, double blocks, double bytes) const {
  work.bytes_of_step += blocks * bytes;
  if (!losses_.waiting) return;
  const double rate = machine_.platform.tamm.get_bytes_per_s;
  const LinkModel& link = machine_.platform.network.message;
  work.step.get += blocks * (2 * link.latency_s + over(bytes, rate > 0 ? rate : link.bandwidth_bytes_per_s));
}

/// `count` products of blocks of the term's operands.
void TammWork::add_product(TammTermWork& work, const ProgramTerm& term, double count) const {
  const double k = extents(summed(term));
  const double m = extents(term.operands[0].indices) / k, n = extents(term.operands[1].indices) / k;
  work.step.product += count * product_seconds(m, n, k);
  work.gemms_of_step += count;
  work.flops_of_step += count * 2 * m * n * k;
}

/// A block of the on-demand operand `made` of the term, by the one product that writes it.
void TammWork::add_making(TammTermWork& work, const ProgramTerm& term, const TensorUse& made) const {
  const ProgramTerm& maker = *std::ranges::find(program_.terms, made.tensor,
                                                [](const ProgramTerm& each) { return each.result.tensor; });
  double products = 1, uses = 1;
  for (const TermIndex& index : summed(maker)) products *= tiles_of(index);
  for (const TermIndex& index : term.result.indices) uses *= has(made, index) ? 1 : tiles_of(index);
  const double share = losses_.remake ? 1 : 1 / uses;
  for (const TensorUse& use : maker.operands) {
    add_gets(work, share * products, block_bytes(use));
    work.step.host += share * products * kOperandPasses * host_seconds(block_bytes(use));
  }
  work.step.host += share * kMadePasses * host_seconds(block_bytes(made));
  add_product(work, maker, share * products);
}

std::vector<double> TammWork::update_seconds() const {
  std::vector<double> seconds(static_cast<std::size_t>(machine_.devices()), 0);
  for (std::size_t t = 0; t < tensors_.size(); ++t) {
    if (tensors_[t].role != TensorRole::result) continue;
    const BlockLine& line = lines_.at(t);
    double bytes = sizeof(double);  // of a block
    for (const std::size_t space : tensors_[t].rules.spaces)
      bytes *= static_cast<double>(extent_of(tiles_[space])) / tiles_[space].count();
    const double one = kUpdatePasses * host_seconds(bytes);
    for (std::int64_t block = 0; block < line.blocks(); ++block)
      seconds[static_cast<std::size_t>(line.rank_of(block))] += one;
  }
  return seconds;
}

}  // namespace foretile
