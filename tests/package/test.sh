#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Installs the build into a scratch prefix; builds and runs a project against it from outside the source tree.
#   test.sh BUILD_FOLDER EXECUTOR(yes/no) MPIEXEC
set -euo pipefail
build=$1
executor=$2
mpiexec=$3
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
cp -r "$here/consumer" "$scratch/consumer"
# Objects of a build with FORETILE_ODR carry link-time code: without it links take seconds, not minutes.
export LDFLAGS="${LDFLAGS:-} -fno-lto"
cmake -S "$scratch/consumer" -B "$scratch/build" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" >/dev/null
cmake --build "$scratch/build"
# Only the installed data may be found.
FORETILE_DATA="$scratch/prefix/share/foretile" "$scratch/build/consumer" | grep -F "$scratch/prefix/share/foretile"
# SimGrid comes with the component that has it, and with no other.
"$scratch/build/fluid_alone" | grep -x "fluid, fluid"
if ldd "$scratch/build/fluid_alone" | grep simgrid; then exit 1; fi
if grep -q foretile::simgrid -r "$scratch/prefix" --include "*.cmake"; then engines="simgrid, fluid"; else engines="fluid, fluid"; fi
"$scratch/build/engines" | grep -x "$engines"
# The examples of programs that run products on their own arrays.
if [ "$executor" = yes ]; then
  cmake -S "$here/../../examples/library" -B "$scratch/library" -G Ninja -DCMAKE_PREFIX_PATH="$scratch/prefix" >/dev/null
  cmake --build "$scratch/library"
  for example in own_arrays own_arrays_c block_sparse; do
    FORETILE_DATA="$scratch/prefix/share/foretile" "$mpiexec" -n 2 "$scratch/library/$example" | grep -cx ".* 0 tiles wrong" | grep -x 2
  done
fi
"$scratch/prefix/bin/foretile" platform show summit --json | grep -F "$scratch/prefix/share/foretile"
cmp "$here/../../LICENSE" "$scratch/prefix/share/doc/foretile/LICENSE"
version=$(sed -n 's/^project(foretile VERSION \([0-9.]*\).*/\1/p' "$here/../../CMakeLists.txt")
[ "$("$scratch/prefix/bin/foretile" --version)" = "foretile $version" ]
grep -x "version: $version" "$here/../../CITATION.cff"
grep "^## $version\b" "$here/../../CHANGELOG.md"
