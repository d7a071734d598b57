// SPDX-License-Identifier: BSD-3-Clause
// Programs as text (docs/programs.md).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "planner/tensor/program.hpp"

namespace foretile {

/// Lines, each one of
///   space h = occupied                         one letter; occupied, virtual or auxiliary
///   tensor v[hp,hp|hp,hp]                      given; by position the spaces that an index may have
///   result i0[p,p|h,h]                         what the program computes
///   tensor t[a,a,i,i] pair                     of spatial orbitals, without halves
///   NAME: A[h10,p3,h1,h2] += -0.5 t1[p6,h1] v[h10,h11,p5,p6]   without a number: 1
/// and comments behind #. Throws InputError, which begins with `source`, line and column: for what cannot be
/// read, an index that is in a tensor twice, in both operands and the result or in one of the three alone, a
/// tensor with more than eight indices, or with others than declared or than elsewhere, one that is
/// neither written nor declared, names given twice, terms that wait for each other, and a program without
/// terms or result.
Program parse_program(std::string_view text, const std::string& source);
Program load_program(const std::filesystem::path& path);

/// The text of a program, without comments.
std::string written(const Program& program);

}  // namespace foretile
