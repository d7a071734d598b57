// SPDX-License-Identifier: BSD-3-Clause
// Groups of blocks in HDF5 files.
#pragma once

#include <memory>
#include <string>

#include "base/matrix_files/hdf5_lists.hpp"
#include "base/matrix_files/matrix_reader.hpp"

namespace foretile::hdf5 {

/// True when the group has what a group of blocks has. Under lock().
bool is_block_group(const Object& group);

/// See open_hdf5(). Under lock(). Throws InputError, which begins with `name`.
std::unique_ptr<MatrixReader> open_blocks(const SharedFile& file, const Object& group,
                                          const std::string& name);

}  // namespace foretile::hdf5
