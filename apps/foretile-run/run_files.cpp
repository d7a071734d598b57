// SPDX-License-Identifier: BSD-3-Clause
#include "apps/foretile-run/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "apps/quantities.hpp"
#include "base/one_line.hpp"
#include "executor/check/finite_check.hpp"
#include "executor/cpu/product_kernels.hpp"
#include "executor/mpi/communicator.hpp"
#include "executor/mpi/session.hpp"
#include "executor/tiles/tile_extents.hpp"
#include "executor/tiles_of_c.hpp"
#include "planner/plan/owners.hpp"

namespace foretile {

namespace {

std::vector<TileId> own_tiles_of_c(const PlannedWork& work, Rank rank) {
  const std::vector<Rank> owners = owners_of_c(work.contraction, work.plan);
  std::vector<TileId> own;
  for (TileId tile = 0; tile < std::ssize(owners); ++tile) {
    if (owners[static_cast<std::size_t>(tile)] == rank) own.push_back(tile);
  }
  return own;
}

/// libxsmm, whose kernels have no transposed operands, has most of the work.
bool multiplies_small_tiles(const PlannedWork& work) {
  const Contraction& p = work.contraction;
  return work.machine.platform.device.kind == DeviceKind::core && uses_small_products(p) &&
         std::max({p.m.largest(), p.n.largest(), p.k.largest()}) <= kMostSmall;
}

}  // namespace

RunFiles::RunFiles(const Problem& problem, PlannedWork& work, const std::string& output, bool overwrite,
                   MPI_Comm communicator)
    : work_(work), communicator_(communicator), output_name_(output) {
  MatrixPlace place;
  agree(communicator, [&] {
    if (!output.empty()) place = parse_output_place(output);
    const auto inputs = matrices_of(problem);
    if (!inputs) return;
    tiles_ = std::make_unique<FileTiles>(work.contraction, *inputs, multiplies_small_tiles(work));
    own_c_ = own_tiles_of_c(work, rank_in(communicator));
  });
  if (!output.empty()) output_.emplace(place, work.contraction, overwrite, communicator);
}

void RunFiles::require_unchanged() {
  if (tiles_) check_s_ = slowest_s(communicator_, [&] { tiles_->require_unchanged(communicator_); });
}

void RunFiles::require_finite(int threads) const {
  const SeededTiles seeded(work_.contraction);
  foretile::require_finite(work_.contraction, work_.plan, own_c_,
                           tiles_ ? static_cast<const TileStorage&>(*tiles_) : seeded, communicator_, threads,
                           tiles_ ? std::array{tiles_->is_turned(Matrix::a), tiles_->is_turned(Matrix::b)}
                                  : std::array{false, false});
}

void RunFiles::prepare_check(int threads) {
  if (!tiles_) return;
  check_.emplace(work_.contraction, work_.plan, communicator_, FreivaldsOptions{.threads = threads});
  if (work_.contraction.reads_c()) agree(communicator_, [&] { check_->add_initial(own_c_, *tiles_); });
}

void RunFiles::complete(RunResult& result) {
  if (!tiles_) return;
  tiles_->require_untouched(communicator_);
  read_s_ = all_reduced(result.fill_s, MPI_MAX, communicator_, "files");
  in_place_bytes_ = all_reduced(bytes_in_place(false), MPI_SUM, communicator_, "files");
  const Contraction& p = work_.contraction;
  agree(communicator_, [&] {
    for (const TileId tile : without_product(p, own_c_))
      result.host->c.insert_or_assign(tile, untouched_tile(p, tile, *tiles_));
  });
}

CheckResult RunFiles::check(const HostStore& host, const std::string& c_digest) {
  for (const auto& [tile, numbers] : host.c)
    check_->add_final(tile, numbers.view(extents_of(work_.contraction, {Matrix::c, tile}).rows));
  CheckResult result = check_->result(*tiles_);
  result.c_digest = c_digest;
  if (work_.contraction.is_transposed && result.worst) std::swap(result.worst->row, result.worst->column);
  return result;
}

std::int64_t RunFiles::bytes_in_place(bool without_gaps) const {
  if (!tiles_) return 0;
  const Contraction& p = work_.contraction;
  std::int64_t bytes = 0;
  for (const Matrix matrix : {Matrix::a, Matrix::b}) {
    if (work_.plan.operands.of(matrix).generated()) continue;
    bytes += foretile::bytes_in_place(p, matrix, tiles_to_check(p, work_.plan, matrix, communicator_),
                                      *tiles_, without_gaps);
  }
  return bytes;
}

void RunFiles::write(const HostStore& host, int threads) {
  if (tiles_) tiles_->require_untouched(communicator_);
  if (output_) output_s_ = slowest_s(communicator_, [&] { output_->write(host, threads); });
}

std::string RunFiles::text() const {
  std::string text;
  if (tiles_)
    text += fmt::format("inputs     unchanged, compared in {}, read in {}\n", quantity(check_s_, "s"),
                        quantity(read_s_, "s"));
  if (output_s_)
    text += fmt::format("output     {}, written in {}\n", one_line(output_name_), quantity(*output_s_, "s"));
  return text;
}

nlohmann::ordered_json RunFiles::json() const {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (tiles_)
    json["inputs"] = {{"compared_s", check_s_}, {"read_s", read_s_}, {"in_place_bytes", in_place_bytes_}};
  if (output_s_) json["output"] = {{"file", output_name_}, {"written_s", *output_s_}};
  return json;
}

}  // namespace foretile
