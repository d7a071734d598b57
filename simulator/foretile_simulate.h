/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
   A plan's time on the model of its machine, in C: link foretile::simulator beside foretile::executor. */
#ifndef FORETILE_SIMULATOR_FORETILE_SIMULATE_H
#define FORETILE_SIMULATOR_FORETILE_SIMULATE_H

#include "base/foretile_status.h"
#include "planner/foretile_work.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Seconds from the start on all ranks to the end of the last. By foretile's fluid engine, as often as
   wanted. Not collective; any rank can do it for all. FORETILE_WRONG_INPUT for NULL. */
foretile_status foretile_simulate(const foretile_work* work, double* seconds);

#ifdef __cplusplus
}
#endif

#endif
