#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Exit codes and messages of the real program.   command_line_test.sh FORETILE
set -uo pipefail
foretile=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0

# expect CODE 'TEXT IN ONE LINE OF STDERR' ARGUMENTS...
expect() {
  local code=$1 text=$2
  shift 2
  "$foretile" "$@" >out 2>err
  local found=$?
  if [ "$found" -ne "$code" ] || [ "$(wc -l <err)" -gt 1 ] || ! grep -qF -- "$text" err; then
    echo "FAILED foretile $*: exit $found, expected $code; stderr, expected one line with '$text':"
    cat err
    failures=$((failures + 1))
  fi
}

# expect_out 'TEXT' ARGUMENTS...
expect_out() {
  local text=$1
  shift
  if ! "$foretile" "$@" >out 2>err || [ -s err ] || ! grep -qF -- "$text" out; then
    echo "FAILED foretile $*: expected exit 0, nothing on stderr and '$text' on stdout:"
    cat out err
    failures=$((failures + 1))
  fi
}

expect_out "foretile 0." --version
expect_out "Exit codes" --help
expect_out "--picture" show --help
expect_out "Set a key of the platform" platform show --help # it takes no other keys
expect 2 "foretile --help"
expect 2 "found 'shwo', expected a command; did you mean \"show\"?" shwo
expect 2 "found 'moleclue', expected a command; did you mean \"molecule\"? See foretile problem --help" problem moleclue
expect 2 "foretile show --help" show
expect 2 "problem is required" show --json
expect 2 "--bogus" show c65-v1 --bogus
expect 2 "foretile: no-such-file: found" show no-such-file
expect 2 "foretile problem dense --help" problem dense --m 4 --n 4 --tile 2
expect 2 "--m: found -4" problem dense --m -4 --n 4 --k 4 --tile 2
expect 2 "expected a whole number from 0 to 9223372036854775807" problem dense --m 4 --n 4 --k 4 --tile 2 --seed -1
expect 2 "--seed" simulate c65-v1 --seed -1
expect_out "m_tile = [188, 375]" problem dense --m 1500 --n 4 --k 4
expect 2 "--m-tile: found '0'" problem dense --m 4 --n 4 --k 4 --m-tile 0
expect 2 "remove the size or the list" problem dense --m 4 --n 4 --k 4 --tile 2 --m-tile 2 --m-tiles 2,2
expect_out "tile = 1" problem dense --m 1 --n 1 --k 1
expect 2 "--tile: found '0', expected a whole number from 1" problem dense --m 4 --n 4 --k 4 --tile 0
expect 2 "--tile: found '-2'" problem dense --m 4 --n 4 --k 4 --tile -2
expect 2 "--m" problem dense --m four --n 4 --k 4 --tile 2
printf '2\nhydrogen\nH 0 0 0\nH 0 0 0.74\n' >h2.xyz
expect_out "M x N x K          1 x 100 x 100" problem molecule --xyz h2.xyz --basis cc-pVDZ \
  --occ-clusters 1 --ao-clusters 2 -o h2.toml
expect 2 "foretile: no-such.xyz: found" problem molecule --xyz no-such.xyz --occ-clusters 1 --ao-clusters 1
printf '2\nhydrogen\nH 0 0 0\nXx 0 0 0.74\n' >bad.xyz
expect 2 "bad.xyz:4: XYZ: found element 'Xx'" problem molecule --xyz bad.xyz --occ-clusters 1 --ao-clusters 1
expect 2 "foretile: --pair-cutoff: found -1" problem molecule --xyz h2.xyz --occ-clusters 1 --ao-clusters 1 --pair-cutoff -1
expect 2 "--basis" problem molecule --xyz h2.xyz --basis sto-3g --occ-clusters 1 --ao-clusters 1
expect 2 "clusters" problem molecule --xyz h2.xyz --occ-clusters 1 --ao-clusters 5
expect 2 "density" problem random --m 4 --n 4 --k 4 --density 1.5

expect_out "kind" problem dense --m 4 --n 6 --k 8 --tile 2
expect_out "Written to dense.toml" problem dense --m 4 --n 6 --k 8 --tile 2 -o dense.toml
expect 2 "no place to write" problem dense --m 4 --n 6 --k 8 --tile 2 -o nowhere/dense.toml
expect 2 "nowhere/x.png" show dense.toml --picture nowhere/x.png
expect 2 ".png or .svg" show dense.toml --picture shapes.jpg
expect_out "GEMM tasks         24" show dense.toml
expect 2 "the same file 'same.json'" plan dense.toml --platform summit -o same.json --dot ./same.json

sed 's/^tile/tiles/' dense.toml >misspelt.toml
expect 2 "misspelt.toml" show misspelt.toml
printf 'kind = "dense' >cut.toml
expect 2 "cut.toml:1: not TOML" show cut.toml
expect 2 "no-such-machine" platform show no-such-machine
expect 2 "expected key=value" platform show summit --set nonsense
expect 2 "begins with 'platform.'" platform show summit --set grid.p=2
expect_out "summit" platform show summit

"$foretile" show dense.toml >/dev/full 2>err
if [ $? -ne 1 ] || ! grep -qF "could not be written whole" err; then
  echo "FAILED foretile show >/dev/full: expected exit 1 and a message"
  failures=$((failures + 1))
fi

[ "$failures" -eq 0 ] && echo "all as expected"
exit "$failures"
