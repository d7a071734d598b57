// SPDX-License-Identifier: BSD-3-Clause
// Matrices in HDF5 files (https://docs.hdfgroup.org/hdf5/v1_14/). Builds without HDF5 refuse all of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/matrix_files/matrix_reader.hpp"

namespace foretile {

/// A dataset of two dimensions: float or double, or complex as h5py and HDF5.jl store it, a compound of "r"
/// and "i". Or a group with the parts of a block-sparse matrix as ITensor writes them
/// (https://github.com/ITensor/ITensors.jl, NDTensors, BlockSparse), and two of ours:
///
///     ndims         2
///     data          the elements of all blocks, each block column-major
///     offsets       of each block three numbers: row and column of the block, counted from 1, and where it
///                   begins in `data`, counted from 0 in elements
///     row_tiles     sizes of the tiles along rows, which add up to the rows of the matrix (ours)
///     column_tiles  the same for columns (ours)
///
/// Throws InputError for everything else.
std::unique_ptr<MatrixReader> open_hdf5(const MatrixPlace& place);

/// Adds a dataset, or a group of blocks that are one behind the other, to the HDF5 file `path`. `is_new`: the
/// file gets nothing else. Returns the byte at which the numbers begin. They have room in the file, but are
/// not written. `place` names the dataset; its file is for messages. Without `overwrite` one that is there is
/// refused.
std::int64_t add_to_hdf5(const std::string& path, bool is_new, const MatrixPlace& place,
                         const MatrixFacts& facts, bool overwrite);

/// Whether the places lead to one object, or one of them into the other.
bool shares_hdf5_object(const MatrixPlace& x, const MatrixPlace& y);
/// Whether the file can be read and has an object of this name.
bool is_in_hdf5(const MatrixPlace& place);

}  // namespace foretile
