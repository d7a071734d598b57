# SPDX-License-Identifier: BSD-3-Clause
"""scripts/lint refuses sources without a licence line, and those that ask for cores that they may not use.

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
print("sources without a licence line, and hardware_concurrency(), are refused")
