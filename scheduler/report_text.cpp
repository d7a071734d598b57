// A report for people.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "platforms/units.hpp"
#include "scheduler/report.hpp"

namespace foretile {

namespace {

/// What takes the time, as the beginning of a sentence; in the order of Cause.
constexpr std::array<const char*, kCauses> subjects{"multiplying on the devices takes",
                                                    "generation of B takes",
                                                    "copying from host to device takes",
                                                    "copying between devices takes",
                                                    "storing C from device to host takes",
                                                    "sending tiles between ranks takes",
                                                    "waiting for events takes"};

/// What would make it shorter where A and B stream.
const char* advice_for_streams(Cause cause, const ProcessGrid& grid) {
  switch (cause) {
    case Cause::h2d:
    case Cause::d2d:
      return "larger blocks of C (b, c), which load A and B fewer times, or more devices help";
    case Cause::network:
      return grid.size() > 1
                 ? "a grid that moves less (grid.p), or larger blocks of C where there are several, help"
                 : "a faster network helps";
    case Cause::wait:
      return "a larger lookahead, or weaker barriers, help";
    default:
      return nullptr;
  }
}

/// What would make it shorter.
const char* advice(Cause cause, const ProcessGrid& grid, BTiles b_tiles) {
  if (b_tiles == BTiles::stream) {
    if (const char* const own = advice_for_streams(cause, grid)) return own;
  }
  switch (cause) {
    case Cause::kernel:
      return "more devices or larger tiles help";
    case Cause::generate:  // B is made once in each row of the grid
      return grid.p > 1 ? "more cores or fewer copies of B (smaller grid.p) help"
                        : "more cores or more nodes help";
    case Cause::h2d:
      return "larger blocks (block_fraction), which load A fewer times, or more devices help";
    case Cause::d2d:
      return "larger blocks (block_fraction), which load A fewer times, help";
    case Cause::d2h:
      return "more copy bandwidth or more devices help";
    case Cause::network:  // a tile of A goes to at most q ranks
      return grid.q > 1 ? "fewer ranks that need each tile of A (larger grid.p) help"
                        : "a faster network helps";
    case Cause::wait:
      break;
  }
  return "cores that are not shared with other work help";
}

std::string share(double fraction) {
  return fmt::format("{:.0f}%", 100 * fraction);
}

std::string in_bytes(double bytes) {
  return format_quantity(bytes, Dimension::bytes);
}

std::string in_seconds(double seconds) {
  return format_quantity(seconds, Dimension::seconds);
}

std::string in_flops(double flops_per_s) {
  return format_quantity(flops_per_s, Dimension::flops_per_s);
}

std::string spread(const Spread& s) {
  return fmt::format("{:>5} {:>5} {:>5}", share(s.min), share(s.mean), share(s.max));
}

class Lines {
 public:
  void add(std::string_view label, std::string_view value) {
    fmt::format_to(std::back_inserter(text), "  {:<22}{}\n", label, value);
  }
  std::string text;
};

void add_critical_path(Lines& lines, const Path& path) {
  const double total = path.total();
  if (!(total > 0)) return;
  lines.text += "\ncritical path\n";
  for (int cause = 0; cause < kCauses; ++cause) {
    const double seconds = path.seconds[static_cast<std::size_t>(cause)];
    if (seconds > 0)
      lines.add(kCauseNames[static_cast<std::size_t>(cause)],
                fmt::format("{:>12} {:>5}", in_seconds(seconds), share(seconds / total)));
  }
}

void add_busy(Lines& lines, const BusyShares& busy) {
  lines.text += "\nbusy                      min  mean   max\n";
  lines.add("devices: kernels", spread(busy.kernels));
  lines.add("devices: h2d copies", spread(busy.h2d));
  lines.add("devices: d2d copies", spread(busy.d2d));
  lines.add("devices: d2h copies", spread(busy.d2h));
  if (busy.generation.max > 0) lines.add("cores: generating B", spread(busy.generation));
  lines.add("ranks: sending", spread(busy.network));
}

/// The model's volumes beside those counted.
void add_model(Lines& lines, const Report& report) {
  if (!report.predicted) return;
  const PredictedVolumes& model = *report.predicted;
  lines.text += fmt::format("\n{:<24}{:>12} {:>12}\n", "bytes beside the model", "counted", "model");
  const auto add = [&](const char* label, std::int64_t counted, double predicted) {
    lines.add(label,
              fmt::format("{:>12} {:>12}", in_bytes(static_cast<double>(counted)), in_bytes(predicted)));
  };
  add("between ranks", report.bytes.network, model.network_bytes);
  const std::int64_t loaded = report.bytes.h2d + report.bytes.d2d;
  if (loaded > 0) add("loaded (h2d + d2d)", loaded, model.loaded_bytes);  // cores use tiles in place
  add("stored (d2h)", report.bytes.d2h, model.stored_bytes);
  lines.add("case", model.case_name());
}

void add_bytes(Lines& lines, const BytesByKind& bytes) {
  lines.text += "\nbytes\n";
  for (const auto& [label, count] : {std::pair("network", bytes.network),
                                     {"h2d", bytes.h2d},
                                     {"d2d", bytes.d2d},
                                     {"d2h", bytes.d2h},
                                     {"generated", bytes.generated}}) {
    if (count == 0 && label == std::string_view("generated")) continue;
    lines.add(label, in_bytes(static_cast<double>(count)));
  }
}

}  // namespace

std::string limit_sentence(const Report& report) {
  const double total = report.limits.total();
  if (!(total > 0)) return "nothing to do";
  const auto& seconds = report.limits.seconds;
  const auto most = std::max_element(seconds.begin(), seconds.end());
  const auto cause = static_cast<std::size_t>(most - seconds.begin());
  if (const Spread& kernels = report.busy.kernels;
      static_cast<Cause>(cause) == Cause::kernel && kernels.min < 0.93 * kernels.max) {
    return fmt::format(
        "multiplying takes {} of the critical path, but devices multiply for {} to {} of the time: tiles and "
        "grids that give each device the same share help",
        share(*most / total), share(kernels.min), share(kernels.max));
  }
  return fmt::format("{} {} of the critical path: {}", subjects[cause], share(*most / total),
                     advice(static_cast<Cause>(cause), report.grid, report.b_tiles));
}

std::string report_text(const Report& report) {
  Lines lines;
  lines.text = limit_sentence(report) + "\n\n";
  if (!report.plan.empty()) lines.add("plan", report.plan);
  lines.add("makespan", in_seconds(report.makespan_s));
  lines.add("rate", fmt::format("{}, {} per device", in_flops(report.flops_per_s()),
                                in_flops(report.devices > 0 ? report.flops_per_s() / report.devices : 0)));
  lines.add("GEMM tasks", fmt::format("{}", report.gemms));
  lines.add("software costs", runtime_source_text(report.runtime_source));
  lines.add("ranks, devices", fmt::format("{}, {}", report.ranks, report.devices));
  lines.add("peak device memory", fmt::format("{} of {}", in_bytes(report.peak_device_bytes.max),
                                              in_bytes(static_cast<double>(report.device_budget_bytes))));
  lines.add(report.b_tiles == BTiles::stream ? "tiles loaded" : "tiles of A loaded",
            fmt::format("{} from host, {} from other devices, {} found there, {} evicted", report.loads.host,
                        report.loads.peer, report.loads.hits, report.loads.evictions));
  add_critical_path(lines, report.limits);
  add_busy(lines, report.busy);
  add_bytes(lines, report.bytes);
  add_model(lines, report);
  return lines.text;
}

}  // namespace foretile
