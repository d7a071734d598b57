# SPDX-License-Identifier: BSD-3-Clause
"""scripts/lint refuses sources without a licence line, those that ask for cores that they may not use, folders that
include each other, and words that must not come back.

lint_test.py scripts/lint"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

LINE = "SPDX-License-Identifier: BSD-3-Clause\n"

if not shutil.which("clang-format") or not shutil.which("git"):
    print("skipped: clang-format or git is missing")
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    (folder / "scripts").mkdir()
    (folder / "tests").mkdir()
    lint = shutil.copy(sys.argv[1], folder / "scripts" / "lint")
    for script in ("folder-cycles", "words"):
        shutil.copy(pathlib.Path(sys.argv[1]).with_name(script), folder / "scripts")
    subprocess.run(["git", "init", "-q", folder], check=True)
    (folder / "right.cpp").write_text("// " + LINE)
    (folder / "data.txt").write_text("no source\n")

    def run():
        return subprocess.run([lint], capture_output=True, text=True, timeout=60)

    done = run()
    assert done.returncode == 0, done.stderr
    for name, text in [("wrong.hpp", "// nothing\n"), ("tests/script", "#!/bin/sh\n"), ("CMakeLists.txt", "# nothing\n")]:
        (folder / name).write_text(text)
        done = run()
        assert done.returncode == 1, f"{name}: {done}"
        assert f"lint: {name}: found no SPDX" in done.stderr, done.stderr
        (folder / name).unlink()
    (folder / "cores.cpp").write_text("// " + LINE + "int cores = std::thread::hardware_concurrency();\n")
    done = run()
    assert done.returncode == 1, done
    assert "lint: cores.cpp:2: found hardware_concurrency()" in done.stderr, done.stderr
    (folder / "cores.cpp").unlink()

    for text, word in (("// Tiles are dealt in turn.\n", "dealt"), ("// C goes home.\n", "goes home")):
        (folder / "words.hpp").write_text("// " + LINE + text)
        done = run()
        assert done.returncode == 1 and f'lint: words.hpp:2: found "{word}", expected another word' in done.stderr, done
    (folder / "words.hpp").write_text("// " + LINE + '// The former name: "deal.a".\n')
    done = run()
    assert done.returncode == 0, done.stderr
    (folder / "words.hpp").unlink()

    def include(name, header):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("// " + LINE + (f'#include "{header}"\n' if header else ""))

    include("base/low.hpp", None)
    include("base/high.hpp", "base/inner/middle.hpp")
    include("base/inner/middle.hpp", "planner/top.hpp")
    include("planner/top.hpp", None)
    done = run()
    assert done.returncode == 0, done.stderr
    include("planner/top.hpp", "base/low.hpp")
    done = run()
    assert done.returncode == 1, done
    assert "base/inner includes planner: base/inner/middle.hpp has planner/top.hpp" in done.stderr, done.stderr
    assert "planner includes base: planner/top.hpp has base/low.hpp" in done.stderr, done.stderr
print("sources without a licence line, and hardware_concurrency(), cycles of folders, and unwanted words are refused")
