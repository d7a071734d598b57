// SPDX-License-Identifier: BSD-3-Clause
// Types of devices with their figures, for a machine that is described by a few others.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretile {

/// A figure in SI units, and the comment that a platform file has behind it: what kind of figure it is (the
/// first word), and its source. Names in brackets are those of device_sources().
struct SourcedFigure {
  double value = 0;
  std::string_view comment = {};
};

/// Measured products of one shape, or percent of a plateau.
struct CurvePoint {
  int m = 0, n = 0, k = 0;
  double value = 0;  ///< Gflop/s, or percent
};

/// Rates of products against shape.
struct DeviceCurve {
  std::string_view about = {};          ///< comment above the points, lines that end in '\n'
  std::vector<CurvePoint> points = {};  ///< Gflop/s; empty: not known
  std::string_view comment = {};        ///< behind them
};

/// What a device of this type has where nothing else is known. Bytes, seconds, bytes per second, watts.
struct DeviceType {
  std::string_view name;                               ///< "H100-SXM"
  bool in_host_memory = false;                         ///< works in its host's memory: there is no host link
  bool carries_cards = false;                          ///< network cards hang on it
  SourcedFigure memory = {};                           ///< installed
  DeviceCurve kernel = {};                             ///< one product in double precision
  DeviceCurve batched = {};                            ///< launches of several
  SourcedFigure launch = {};                           ///< time to start one product
  SourcedFigure to_device = {}, to_host = {};          ///< link of one device and its host
  std::string_view link = "nvlink";                    ///< name of the link between devices
  SourcedFigure port = {};                             ///< all links of a device to others; 0: `pair` holds
  SourcedFigure pair = {};                             ///< between two devices, all pairs alike
  SourcedFigure copy = {};                             ///< latency of a copy to or from a device
  std::optional<SourcedFigure> peer_copy = {};         ///< of a copy between devices; none: as `copy`
  std::optional<SourcedFigure> memory_bandwidth = {};  ///< of the host that is part of it
  std::optional<SourcedFigure> hosts = {};             ///< links between such hosts
  SourcedFigure idle = {}, busy = {};                  ///< electric power of one
};

/// All types, in the order of lists.
std::span<const DeviceType> device_types();

/// The type of this name; letter case, blanks, '-' and '_' do not matter. Nullptr: there is none.
const DeviceType* find_device_type(std::string_view name);

/// "A100, H100-SXM, ...".
std::string device_type_names();

/// A source of figures: "RFM", and where it is.
struct DeviceSource {
  std::string_view name, place;
};

/// All that comments of figures name.
std::span<const DeviceSource> device_sources();

}  // namespace foretile
