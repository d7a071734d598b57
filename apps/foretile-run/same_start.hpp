// SPDX-License-Identifier: BSD-3-Clause
// Ranks that were started differently would wait for each other for ever.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>

#include "executor/mpi/session.hpp"

namespace foretile {

/// What a rank was started with: name -> value, for example "--verify" -> "true". What is missing is "".
using StartFacts = std::map<std::string, std::string>;

/// The program's version, the chosen command, and every option that was given but the path of what is
/// run.
StartFacts command_line_facts(const CLI::App& app);

/// Collective, and the first thing that ranks do together. When the facts differ, rank 0 throws an InputError
/// as AgreedError: it names the lowest rank that differs from most (from rank 0, where there is no majority)
/// and what differs. When `facts` throws, the lowest such rank throws its error as AgreedError. All others
/// throw FailedElsewhere, as they do when a rank leaves (leave_job()).
void require_same_start(const MpiSession& session, const std::function<StartFacts()>& facts);

/// For a rank that ends without work for the job (wrong usage, --help), with `exit_code`: the others, which
/// wait for it in MPI_Init and require_same_start(), learn of it. Of all ranks with an error `unsaid` the
/// lowest prints its own. Returns the exit code of the job. Starts no MPI when this rank has done so before
/// or mpiexec did not start it.
int leave_job(const CLI::App& app, int exit_code, const std::string& unsaid);

}  // namespace foretile
