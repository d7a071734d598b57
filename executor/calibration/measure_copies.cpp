// SPDX-License-Identifier: BSD-3-Clause
#include "executor/calibration/measure_copies.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "executor/calibration/measure.hpp"

namespace foretile {

namespace {

constexpr int made_together = 8;  // tiles

struct FreeHost {
  Gpus* gpus;
  void operator()(std::byte* memory) const { gpus->free_host(memory); }
};
using HostMemory = std::unique_ptr<std::byte, FreeHost>;

/// With pages of its own behind it.
HostMemory host_memory(Gpus& gpus, std::int64_t bytes) {
  HostMemory memory(gpus.allocate_host(bytes), FreeHost{&gpus});
  std::memset(memory.get(), 1, static_cast<std::size_t>(bytes));
  return memory;
}

void give_copies(const CopyPath& path, std::int64_t piece, std::int64_t first, std::int64_t count) {
  const std::int64_t places = path.bytes / piece;
  for (std::int64_t i = first; i < first + count; ++i) {
    const std::int64_t at = i % places * piece;
    const CopyPiece one{path.to + at, path.from + at, piece};
    path.on.gpu->copy(path.on.lane, {&one, 1});
  }
}

LinkModel link_of(const std::vector<CopySample>& samples) {
  const CopySample& small = samples.front();
  const CopySample& large = samples.back();
  const double bandwidth = static_cast<double>(large.bytes) / large.queued_s;
  return {std::max(0.0, small.alone_s - static_cast<double>(small.bytes) / bandwidth), bandwidth};
}

/// Sizes that a slow machine copies often enough, there and back, in the time; the smaller ones always.
std::vector<std::int64_t> affordable(std::vector<std::int64_t> sizes, double seconds) {
  constexpr double copies = 40, bytes_per_s = 2e9;
  constexpr std::int64_t always = 1 << 20;
  const auto largest = std::max(always, static_cast<std::int64_t>(seconds * bytes_per_s / copies));
  const std::int64_t smallest = *std::min_element(sizes.begin(), sizes.end());
  std::erase_if(sizes, [&](std::int64_t bytes) { return bytes > largest && bytes > smallest; });
  return sizes;
}

/// Memory of one device and of the host to copy between.
struct Ends {
  Ends(Gpus& gpus, Gpu& on, std::int64_t size)
      : gpu(&on),
        bytes(size),
        host_in(host_memory(gpus, size)),
        host_out(host_memory(gpus, size)),
        in(on.allocate(size)),
        out(on.allocate(size)) {}

  CopyPath to_device() const { return {{gpu, kInLane}, in, host_in.get(), bytes}; }
  CopyPath to_host() const { return {{gpu, kOutLane}, host_out.get(), out, bytes}; }

  Gpu* gpu;
  std::int64_t bytes;
  HostMemory host_in, host_out;
  std::byte *in, *out;
};

double bandwidth_of(const CopyCurve& curve) {
  return curve.link.bandwidth_bytes_per_s;
}

}  // namespace

CopyCurve measure_copies(Gpus& gpus, const CopyPath& path, const std::vector<std::int64_t>& sizes,
                         double seconds) {
  const TimeBudget budget(seconds);
  CopyCurve curve;
  std::vector<double> spreads;
  const GpuLane lane = path.on;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::int64_t piece = std::min(sizes[i], path.bytes);
    const auto give = [&](std::int64_t first, std::int64_t count) { give_copies(path, piece, first, count); };
    const double share = budget.share(1, static_cast<double>(sizes.size() - i)) / 2;
    const Measured alone = measure_alone(gpus, {&lane, 1}, share, give);
    const Measured queued = measure_queued(gpus, {&lane, 1}, share, give);
    curve.samples.push_back({piece, alone.seconds, queued.seconds, queued.spread});
    if (queued.spread > 0) spreads.push_back(queued.spread);
  }
  curve.link = link_of(curve.samples);
  curve.spread = summarize(spreads).median;
  return curve;
}

SharedCopies measure_together(Gpus& gpus, const std::vector<SharedPath>& paths, std::int64_t piece,
                              double seconds) {
  constexpr double pieces_of_the_fastest = 16;
  double fastest = 0;
  for (const SharedPath& shared : paths) fastest = std::max(fastest, shared.weight);
  std::vector<GpuLane> lanes;
  std::vector<std::int64_t> pieces;
  double bytes = 0;
  for (const SharedPath& shared : paths) {
    lanes.push_back(shared.path.on);
    pieces.push_back(
        std::max<std::int64_t>(1, std::llround(pieces_of_the_fastest * shared.weight / fastest)));
    bytes += static_cast<double>(pieces.back() * piece);
  }
  const Measured time = measure_queued(gpus, lanes, seconds, [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t round = first; round < first + count; ++round) {
      for (std::size_t p = 0; p < paths.size(); ++p)
        give_copies(paths[p].path, piece, round * pieces[p], pieces[p]);
    }
  });
  return {bytes / time.seconds, time.spread};
}

GpuCopies measure_gpu_copies(Gpus& gpus, std::vector<Gpu*> devices, const std::vector<std::int64_t>& wanted,
                             double seconds) {
  const std::vector<std::int64_t> sizes = affordable(wanted, seconds);
  const TimeBudget budget(seconds);
  const bool several = devices.size() > 1;
  const double weight = several ? 12 : 9;
  GpuCopies found;
  found.when = utc_now();
  const std::int64_t largest = sizes.back();
  std::vector<Ends> ends;
  for (Gpu* device : devices) ends.emplace_back(gpus, *device, largest);
  const CopyPath in = ends[0].to_device();
  const CopyPath out = ends[0].to_host();
  found.in = measure_copies(gpus, in, sizes, budget.share(4, weight));
  found.out = measure_copies(gpus, out, sizes, budget.share(4, weight - 4));
  const std::int64_t piece = std::min<std::int64_t>(largest, std::int64_t{16} << 20);
  found.both = measure_together(gpus, {{in, bandwidth_of(found.in)}, {out, bandwidth_of(found.out)}}, piece,
                                budget.share(1, weight - 8));
  found.all_in = {bandwidth_of(found.in), found.in.spread};
  if (!several) return found;
  std::vector<SharedPath> all;
  for (const Ends& one : ends) all.push_back({one.to_device(), 1});
  found.all_in = measure_together(gpus, all, piece, budget.share(1, 3));
  found.direct = gpus.direct(0, 1);
  found.peer =
      measure_copies(gpus, {{devices[1], kPeerLane}, ends[1].in, ends[0].in, largest}, sizes, budget.left());
  return found;
}

GenerationRate measure_generation(Gpus& gpus, Gpu& gpu, std::int64_t tile_bytes, double seconds) {
  const std::int64_t elements = std::max<std::int64_t>(tile_bytes / 8, 1);
  std::vector<TileToMake> tiles;
  for (int t = 0; t < made_together; ++t)
    tiles.push_back({gpu.allocate(elements * 8), elements, static_cast<std::uint64_t>(t), 1.0});
  const GpuLane lane{&gpu, kGenerateLane};
  GenerationRate rate;
  rate.when = utc_now();
  const Measured time = measure_queued(gpus, {&lane, 1}, seconds, [&](std::int64_t, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) gpu.make(kGenerateLane, Precision::f64, tiles);
  });
  rate.bytes_per_s = made_together * static_cast<double>(elements) * 8 / time.seconds;
  rate.spread = time.spread;
  return rate;
}

}  // namespace foretile
