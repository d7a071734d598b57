// SPDX-License-Identifier: BSD-3-Clause
// Started with OPENBLAS_CORETYPE=Prescott, this program is in the place of one whose OpenBLAS chose badly: it
// must find itself started again with good kernels and the same arguments.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "executor/cpu/blas.hpp"

int main(int argc, char** argv) {
  const char* type = std::getenv("OPENBLAS_CORETYPE");
  if (type && std::string(type) == "Prescott") ::unsetenv("OPENBLAS_CORETYPE");
  foretile::choose_blas_kernels();
  const bool good =
      foretile::better_kernels(foretile::blas_kernels().substr(9), foretile::cpu_level()).empty();
  const bool same = argc == 3 && std::string(argv[1]).empty() && std::string(argv[2]) == "two words";
  std::printf("%s, kernels %s, arguments %s\n", foretile::blas_kernels().c_str(), good ? "good" : "bad",
              same ? "kept" : "lost");
  return good && same ? 0 : 1;
}
