// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// The SimGrid engine, an optional part: a program that links foretile_simgrid calls this first.
#pragma once

namespace foretile {

/// From here on simulate() may take SimGrid. Nothing happens where the program is not linked with it.
#ifdef FORETILE_HAS_SIMGRID
void use_simgrid();
#else
inline void use_simgrid() {}
#endif

}  // namespace foretile
