// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Where callers of multiplication.hpp find TileStorage.
#pragma once

#include "executor/tiles/tile_storage.hpp"
