// SPDX-License-Identifier: BSD-3-Clause
// A platform file from a few figures of a machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "platforms/device_types.hpp"

namespace foretile {

/// What network cards are attached to.
enum class CardPlace : std::uint8_t {
  host,    ///< sockets
  device,  ///< GPUs
  pcie     ///< switches, each between a socket and one or several GPUs
};

/// How GPUs of a node reach each other; all pairs alike.
enum class DeviceLinks : std::uint8_t {
  pairs,     ///< a link for each pair
  switched,  ///< each has a port of a switch
  none       ///< through the host
};

/// A rate in each direction, bytes per second.
struct RatePair {
  double there = 0, back = 0;
};

/// What is known of a machine. Per node where nothing else is said; nothing: the file has a guess.
struct NewPlatform {
  std::string name;
  int nodes = 1;
  const DeviceType* device = nullptr;  ///< nullptr: the cores are the devices
  int devices = 0;                     ///< GPUs
  int sockets = 1;                     ///< or NUMA domains
  int cores = 1;
  double memory_bytes = 0;                    ///< of the hosts
  std::optional<double> device_memory_bytes;  ///< of one GPU
  std::optional<RatePair> host_link;          ///< of one GPU: to it, and back
  std::optional<DeviceLinks> device_links;
  std::optional<double> device_link_bytes_per_s;  ///< of one pair, or of one port, per direction
  int cards = 1;
  double card_bytes_per_s = 0;  ///< of one card, per direction
  std::optional<CardPlace> cards_at;
  std::optional<double> core_flops_per_s;  ///< of a core that is a device
};

/// The form of device links where none is given.
DeviceLinks usual_device_links(const NewPlatform& machine);
/// What one pair or one port has where nothing is given.
SourcedFigure usual_device_link(const NewPlatform& machine);
/// Where the cards are where nothing is given: GPUs share PCIe switches with them where each has one.
CardPlace usual_card_place(const NewPlatform& machine);

/// The text of its platform file. Comments behind values say `given`, the kind of the device type's figure,
/// or `guess`. Throws InputError, which names options of `foretile platform new`, where the counts do not go
/// together. All counts must be at least 1 (`devices` only with a type), and all figures above 0.
std::string new_platform_toml(const NewPlatform& machine);

}  // namespace foretile
