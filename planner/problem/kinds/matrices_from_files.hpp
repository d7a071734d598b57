// SPDX-License-Identifier: BSD-3-Clause
// Makes a problem of matrices in files.
#pragma once

#include <string>

#include "base/element_type.hpp"
#include "base/product_form.hpp"
#include "planner/problem/kinds/matrices.hpp"

namespace foretile {

/// What a user asks for.
struct MatrixRequest {
  std::string a, b, c;  ///< as parse_matrix_place() reads them; c is empty when C is not read
  Op a_op = Op::none, b_op = Op::none;
  DenseParameters indices{};  ///< m, n and k are found in the files; sizes of tiles as far as they were given
  std::optional<Matrix> window = {};  ///< MatricesParameters::window
  bool keep_c = false;                ///< MatricesParameters::keep_c
};

struct MatrixProblem {
  MatricesParameters parameters;
  ElementType element;
  bool usual_tiles = false;  ///< no sizes of tiles were given, and no file had any
};

/// Opens the files, checks that they fit together, and reads all their bytes once or twice: for digests, and
/// for the norms of the tiles of sparse matrices. Sizes of tiles come from the request, else from
/// block-sparse files, else from usual_tiles(). Throws InputError that names the files.
MatrixProblem matrices_from_files(const MatrixRequest& request);

}  // namespace foretile
