/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
   A verified plan with its problem and machine, in C. */
#ifndef FORETILE_PLANNER_FORETILE_WORK_H
#define FORETILE_PLANNER_FORETILE_WORK_H

/** foretile_planned_work() (executor/foretile.h) gives it, and keeps its memory. */
typedef struct foretile_work foretile_work;

#endif
