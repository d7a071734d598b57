/* SPDX-License-Identifier: BSD-3-Clause */
/* A verified plan with its problem and machine, in C: foretile_planned_work() (executor/foretile.h) gives it. */
#ifndef FORETILE_PLANNER_FORETILE_WORK_H
#define FORETILE_PLANNER_FORETILE_WORK_H

typedef struct foretile_work foretile_work;

#endif
