// SPDX-License-Identifier: BSD-3-Clause
#include "executor/files/input_checks.hpp"

#include <array>

#include "executor/mpi/communicator.hpp"
#include "executor/mpi/session.hpp"

namespace foretile {

InputError written_during_run(const std::string& name) {
  return input_error(name, "a file that was written to during the run",
                     "the numbers that it had at the start", "run again when no program writes to it");
}

void require_one_file(const InputFile& file, MPI_Comm communicator) {
  const FileStamp own = file.stamp().value_or(FileStamp{});  // without numbers that differ between nodes
  const std::array facts{own.bytes, own.written_s, own.written_ns, own.changed_s, own.changed_ns};
  auto least = facts, most = facts;
  all_reduce(std::span(least), MPI_MIN, communicator, "input files");
  all_reduce(std::span(most), MPI_MAX, communicator, "input files");
  agree(communicator, [&] {
    if (least != most) throw written_during_run(file.path());
  });
}

}  // namespace foretile
