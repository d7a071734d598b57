// What the scheduler must know of one device of a rank.
#pragma once

namespace foretile {

struct DeviceTraits {
  bool on_core = false;         ///< its kernels take core slots of the rank, before generation does
  bool in_host_memory = false;  ///< it works on tiles where they lie in host memory: nothing is copied
  bool makes_tiles = false;     ///< generated tiles of B are made there, not on the rank's cores
  int batch = 1;                ///< products of a chunk in one kernel operation, at most
  int socket = 0;               ///< of its node: a near copy of a tile is preferred
};

}  // namespace foretile
