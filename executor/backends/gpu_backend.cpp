// SPDX-License-Identifier: BSD-3-Clause
#include "executor/backends/gpu_backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "executor/cpu/combine.hpp"
#include "executor/gpu/copy_pieces.hpp"
#include "executor/gpu/pool_size.hpp"
#include "executor/gpu/warm_up.hpp"
#include "executor/tiles/generate.hpp"
#include "executor/tiles/initial_tile.hpp"

namespace foretile {

namespace {

/// Launches under way per device: enough that small products do not wait for the ends of their predecessors;
/// few enough that whole batches are not piled up.
constexpr int kSingleLaunches = 64;
constexpr int kBatchLaunches = 16;

/// Where the rank has what it owns or received: in host memory, or where messages come to devices.
bool from_host_store(const Copy& copy) {
  return copy.from == kHost || device_of_messages(copy.from);
}

Task task_of(const Copy& copy) {
  const Task::Kind kind = copy.to == kHost          ? Task::Kind::store
                          : from_host_store(copy)   ? Task::Kind::load
                          : copy.from == kGenerated ? Task::Kind::make
                                                    : Task::Kind::peer_copy;
  return {kind, copy.tiles.front(), -1, copy.tiles.size()};
}

Lane lane_of(const Copy& copy) {
  return copy.to == kHost          ? kOutLane
         : copy.from == kHost      ? kInLane
         : copy.from == kGenerated ? kGenerateLane
                                   : kPeerLane;
}

}  // namespace

GpuBackend::GpuBackend(const Contraction& contraction, const PlanFrame& frame, const RankPlan& plan,
                       HostStore& host, Gpus& gpus, const GpuBackendOptions& options, Transport transport)
    : RankBackend(contraction, host, options.cores, std::move(transport)),
      form_(product_form(frame, contraction)),
      gpus_(gpus),
      options_(options),
      batch_(frame.batch),
      kernel_slots_(frame.batch > 1 ? kBatchLaunches : kSingleLaunches) {
  const auto devices =
      static_cast<std::size_t>(options.devices.value_or(static_cast<int>(plan.devices.size())));
  for (std::size_t d = 0; d < devices; ++d) {
    const int physical = (options.first_device + static_cast<int>(d)) % gpus.count();
    names_.push_back(fmt::format("{} on GPU {}: {}", d, physical, gpus.facts(physical).name));
    explained(Device::of(d), nullptr, [&] {
      devices_.push_back(std::make_unique<GpuDevice>(gpus.open(physical, options.kernel_lanes),
                                                     options.kernel_lanes,
                                                     device_pool_bytes(contraction, frame, plan, d)));
    });
  }
}

GpuBackend::~GpuBackend() {
  try {
    drain();
  } catch (const std::exception&) {  // said before
  }
}

void GpuBackend::fail(Device device, const Task* task, const std::exception& error) const {
  const std::string doing = task ? described(problem_, *task) : "starting";
  throw WorkError(
      fmt::format("rank {}, device {}: {}: {}", options_.rank, names_[device], doing, error.what()));
}

template <class Work>
void GpuBackend::explained(Device device, const Task* task, Work work) const {
  try {
    work();
  } catch (const std::exception& error) {
    fail(device, task, error);
  }
}

/// Those that differ in more than a factor, for which libraries have other kernels.
std::vector<ProductForm> GpuBackend::forms_of_products() const {
  std::vector<ProductForm> forms;
  for (std::int32_t k = 0; k < problem_.k.tiles(); ++k) {
    ProductForm form = problem_.form_of(k, form_);
    form.alpha = form_.alpha;
    if (std::ranges::find(forms, form) == forms.end()) forms.push_back(form);
  }
  return forms;
}

void GpuBackend::warm_up(const PlanFrame& frame, const RankPlan& plan, double seconds) {
  constexpr std::int64_t kCopied = 1 << 20;
  constexpr std::size_t kShapes = 16, kRareShapes = 64;
  const TileBuffer host(kCopied, host_.memory());
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    const PlanShapes shapes = plan_shapes(problem_, frame, plan, d, {kShapes, kRareShapes});
    const std::vector<ProductForm> forms = forms_of_products();
    for (const ProductForm& form : forms) {
      const WarmUp what{form, shapes.usual, batch_, seconds / static_cast<double>(forms.size()), shapes.rare};
      explained(Device::of(d), nullptr, [&] {
        foretile::warm_up(*devices_[d], gpus_, {host.data(), static_cast<std::size_t>(kCopied)}, what);
      });
    }
  }
}

std::vector<std::byte*> GpuBackend::take_for_messages(std::int64_t bytes) {
  std::vector<std::byte*> places;
  for (std::size_t d = 0; d < devices_.size(); ++d)
    explained(Device::of(d), nullptr, [&] { places.push_back(devices_[d]->gpu().allocate(bytes)); });
  return places;
}

// ---- memory ----

void GpuBackend::allocate(Device device, TileRef tile) {
  const std::int64_t bytes = bytes_of(problem_, tile);
  if (!devices_[device]->place(tile, bytes)) make_room(device, tile, bytes);
  if (tile.matrix == Matrix::c && !host_.devices_read_c()) devices_[device]->overwrite_first(tile.id);
}

void GpuBackend::make_room(Device device, TileRef tile, std::int64_t bytes) {
  const Task task{Task::Kind::compact, tile};
  explained(device, &task, [&] {
    if (!devices_[device]->has_room_in_all(bytes))
      throw WorkError(fmt::format("{} bytes do not fit the device's pool; the plan is wrong", bytes));
    drain();
    compacted_bytes_ += devices_[device]->compact(gpus_, bytes);
    ++compactions_;
    devices_[device]->place(tile, bytes);
  });
}

/// Until nothing is under way on any device: others may copy from the one that is to be changed.
void GpuBackend::drain() {
  for (collect(); !std::all_of(devices_.begin(), devices_.end(), [](const auto& d) { return d->idle(); });
       collect())
    gpus_.pause(1e-3);
}

void GpuBackend::adopt(Device device, TileRef tile) {
  const Task task{Task::Kind::place, tile};
  explained(device, &task, [] { throw WorkError("GPUs have memory of their own"); });
}

std::byte* GpuBackend::on_host(TileRef tile) {
  if (tile.matrix == Matrix::c) return host_.c.at(tile.id).data();
  const auto staged = host_.staged_b.find(tile.id);
  const bool generated = tile.matrix == Matrix::b && staged != host_.staged_b.end();
  return generated ? staged->second.data() : host_.tile(tile).data;
}

std::byte* GpuBackend::place_of_c(TileId c, Device device) {
  return host_.place_of_c(c, device).data;
}

// ---- work ----

void GpuBackend::start_kernel(OperationId id, Device device, std::span<const Product> products) {
  GpuDevice& on = *devices_[device];
  const Task task{Task::Kind::multiply, {Matrix::c, products.front().c}, products.front().k, products.size()};
  explained(device, &task, [&] {
    written_.clear();
    for (const Product& x : products) written_.push_back(x.c);
    const KernelLanes::Choice& choice = on.lanes().start(written_);
    for (const Lane other : choice.follow) on.gpu().follow(choice.lane, other);
    while (!products.empty()) {
      const ProductForm form = problem_.form_of(products.front().k, form_);
      const auto other = std::ranges::find_if(
          products, [&](const Product& x) { return problem_.form_of(x.k, form_) != form; });
      const auto alike = static_cast<std::size_t>(other - products.begin());
      multiply(on, choice, products.first(alike));
      products = products.subspan(alike);
    }
    on.expect(choice.lane, id, task, written_);
  });
}

void GpuBackend::multiply(GpuDevice& on, const KernelLanes::Choice& choice,
                          std::span<const Product> products) {
  const ProductForm form = problem_.form_of(products.front().k, form_);
  products_.clear();
  for (const Product& x : products)
    products_.push_back({problem_.m.size(x.i), problem_.n.size(x.j), problem_.k.size(x.k),
                         on.at({Matrix::a, x.a}), on.at({Matrix::b, x.b}), on.at({Matrix::c, x.c}),
                         on.first_product(x.c)});
  if (!choice.repeats) return on.gpu().multiply(choice.lane, form, products_);
  waves_.clear();
  for (const TileProduct& product : products_) waves_.add(product.c, product);
  for (const auto& wave : waves_.all()) on.gpu().multiply(choice.lane, form, wave);
}

void GpuBackend::start_copy(OperationId id, const Copy& wanted) {
  const Task task = task_of(wanted);
  const Device device = Device::of(wanted.to == kHost ? wanted.from : wanted.to);
  explained(device, &task,
            [&] { wanted.from == kGenerated ? make(id, wanted, task) : copy(id, wanted, task); });
}

void GpuBackend::copy(OperationId id, const Copy& wanted, const Task& task) {
  pieces_.clear();
  permuted_.clear();
  const bool over_the_host = wanted.to == kHost || wanted.from == kHost;
  const std::size_t count = wanted.tiles.size();
  for (std::size_t number = 0; number < count; ++number) {
    // C was placed from the high end down.
    const TileRef tile = wanted.tiles[wanted.to == kHost ? count - 1 - number : number];
    std::byte* const to =
        wanted.to == kHost ? place_of_c(tile.id, Device::of(wanted.from)) : devices_[wanted.to]->at(tile);
    const std::byte* const from = from_host_store(wanted) ? on_host(tile) : devices_[wanted.from]->at(tile);
    auto permuted = wanted.to == kHost        ? host_.permuted_store(tile.id)
                    : from_host_store(wanted) ? host_.permuted_load(tile)
                                              : std::nullopt;
    if (permuted && gpus_.reaches(from)) {
      permuted_.push_back({*std::move(permuted), from, to});
    } else if (permuted) {
      add_piece(pieces_, {to, permuted_on_host(id, *permuted, from), bytes_of(problem_, tile)}, false);
    } else {
      add_piece(pieces_, {to, from, bytes_of(problem_, tile)}, over_the_host);
    }
  }
  GpuDevice& on = *devices_[wanted.to == kHost ? wanted.from : wanted.to];
  const Lane lane = lane_of(wanted);
  if (!pieces_.empty()) on.gpu().copy(lane, pieces_);
  copy_permuted(on, lane);
  on.expect(lane, id, task);
}

const std::byte* GpuBackend::permuted_on_host(OperationId id, const PermutedCopy& how,
                                              const std::byte* from) {
  const std::int64_t elements =
      std::accumulate(how.extents.begin(), how.extents.end(), std::int64_t{1}, std::multiplies<>());
  TileBuffer& tile = permuted_on_host_[id].emplace_back(elements * problem_.element_bytes(), host_.memory());
  combine_tile(problem_.element(), how.extents, how.permutation, 0, how.factor, from, tile.data());
  return tile.data();
}

void GpuBackend::copy_permuted(GpuDevice& on, Lane lane) {
  if (permuted_.empty()) return;
  std::vector<TileToCombine> tiles;
  for (const Permuted& one : permuted_)
    tiles.push_back({one.how.extents, one.how.permutation, 0, one.how.factor, one.from, one.to});
  on.gpu().combine(lane, problem_.precision, tiles);
}

void GpuBackend::make(OperationId id, const Copy& wanted, const Task& task) {
  GpuDevice& on = *devices_[wanted.to];
  to_make_.clear();
  for (const TileRef tile : wanted.tiles) {
    to_make_.push_back({on.at(tile), problem_.b_bytes(tile.id) / bytes_of(problem_.precision),
                        tile_key(problem_.seed, Operand::b, tile.id), generated_norm(problem_, tile)});
  }
  on.gpu().make(kGenerateLane, problem_.precision, to_make_);
  on.expect(kGenerateLane, id, task);
}

// ---- ends ----

void GpuBackend::collect() {
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    explained(Device::of(d), devices_[d]->pending(), [&] { devices_[d]->collect(ended_); });
  }
  if (permuted_on_host_.empty()) return;
  for (const OperationId id : ended_) permuted_on_host_.erase(id);
}

std::span<const EndedOperation> GpuBackend::ended(double seconds) {
  constexpr double kBetweenPolls_s = 1e-4;  // of the cores, while they work
  const double until_s = now() + seconds;
  for (;;) {
    collect();
    ended_now_.clear();
    take_completions(0);
    host_work_ended_ += std::ssize(ended_now_);
    for (const OperationId id : ended_) ended_now_.push_back({id, {}});
    ended_.clear();
    const double left_s = until_s - now();
    if (!ended_now_.empty() || left_s <= 0) return ended_now_;
    gpus_.pause(host_work_ > host_work_ended_ ? std::min(left_s, kBetweenPolls_s) : left_s);
  }
}

}  // namespace foretile
