# SPDX-License-Identifier: BSD-3-Clause
"""Every error is one short line, and outputs harm nothing.   messages_test.py FORETILE FORETILE_RUN|none"""
import json
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import threading

foretile, foretile_run = sys.argv[1], sys.argv[2]
platform = ("--platform", str(pathlib.Path(__file__).parent / "toy_platform.toml"))
dense = b'kind = "dense"\nm = 4\nn = 6\nk = 8\ntile = 2\n'


def call(*arguments, program=foretile):
    command = [program, *(a if isinstance(a, bytes) else str(a) for a in arguments)]
    return subprocess.run(command, capture_output=True, timeout=60)


def expect(part, *arguments, program=foretile):
    done = call(*arguments, program=program)
    line = done.stderr
    assert done.returncode == 2 and line.endswith(b"\n") and line.count(b"\n") == 1, (arguments, done)
    assert len(line) < 2200 and part.encode() in line, (part, arguments, line[:3000])
    line.decode()  # valid UTF-8
    assert not any(byte < 0x20 or byte == 0x7F for byte in line[:-1]), line
    return line


def check_values(folder):
    problem = folder / "p.toml"
    for text, part in [(dense.replace(b"m = 4", b'm = "a\\u0000b"'), "key 'm'"),
                       (dense.replace(b"n = 6", b"n = [nan]"), "nan"),
                       (dense.replace(b"n = 6", b"n = [1,\n2,\n3]"), "key 'n'"),
                       (dense.replace(b"dense", b"\\u001b[31mred"), "\\x1b[31mred"),
                       (dense.replace(b"dense", b"x" * 100_000), "x..."),
                       (b"x" * 100_000 + b" = 1\n" + dense, "x..."),
                       (dense + b"tiles = 2\n", 'p.toml:6: unknown key "tiles"; did you mean "tile"? Known keys: '),
                       (b"\xff\xfe", "p.toml:1"), (b"\0", "p.toml:1")]:
        problem.write_bytes(text)
        line = expect(part, "show", problem)
        assert len(line) < 700, line
    problem.write_bytes(dense)
    expect('unknown key "a\\nb"', "plan", problem, *platform, "--set", "a\nb=1")
    expect("1\\n2", "plan", problem, *platform, "--set", "grid.p=1\n2")
    expect('unknown key "platform.network.latenzy"; did you mean "platform.network.latency"',
           "plan", problem, *platform, "--set", "platform.network.latenzy=1")
    expect("caf\\xe9", "plan", problem, *platform, "--set", b"caf\xe9=1")
    expect("x...", "plan", problem, *platform, "--set", "x" * 100_000)
    expect("x", "plan", problem, "--" + "x" * 100_000)
    expect("x...", "x" * 100_000)


def check_inputs(folder):
    os.mkfifo(folder / "fifo.toml")
    (folder / "loop.toml").symlink_to("loop.toml")
    (folder / "large.toml").touch()
    os.truncate(folder / "large.toml", 2**30)
    for name, part in [("fifo.toml", "found a FIFO or pipe, expected a regular file"), ("loop.toml", "loop.toml"),
                       ("large.toml", "at most 256 MiB"), ("/dev/zero", "found a device"),
                       ("-", "expected a problem file")]:
        path = name if name[0] in "/-" else folder / name
        expect(part, "show", path)
        if name != "-":
            expect(part, "platform", "show", path)
    expect("loop.toml", "plan", folder / "p.toml", *platform, "-o", folder / "loop.toml")
    expect("found a FIFO", "tune", folder / "p.toml", *platform, "--space", folder / "fifo.toml")
    expect("no regular file", "tune", folder / "p.toml", *platform, "--history", folder / "fifo.toml")
    expect("--budget: found ''", "tune", folder / "p.toml", *platform, "--budget", "")
    for option in ["-o", "--history", "--space", "--platform"]:
        expect("found '', expected a value", "tune", folder / "p.toml", option, "")
    expect("--count: found '-1'", "tune", folder / "p.toml", *platform, "--count", "-1")
    expect("expected a duration", "tune", folder / "p.toml", *platform, "--budget", "1 day")
    for command, option in [("plan", "-o"), ("plan", "--dot"), ("show", "--picture")]:
        expect("found '', expected a value", command, folder / "p.toml", option, "")
    named = (pathlib.Path(__file__).parent / "toy_platform.toml").read_text().replace('name = "', 'name = "\\u001b[31m')
    (folder / "named.toml").write_text(named)
    expect("letters that can be printed", "platform", "show", folder / "named.toml")
    closed = folder / "closed"
    closed.mkdir(mode=0)
    for command in [("show", closed / "p.toml"), ("platform", "show", closed / "p.toml"),
                    ("plan", folder / "p.toml", *platform, "-o", closed / "p.json")]:
        done = subprocess.run([*without_privileges(), foretile, *map(str, command)], capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and "Permission denied" in done.stderr, (command, done)


def without_privileges():
    """Words before a command that take root's right to read everything from it."""
    return [] if os.geteuid() else ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]


def check_stderr():
    """A message that cannot be read changes no exit code."""
    with open("/dev/full", "w") as full:
        assert subprocess.run([foretile, "show", "nope"], stderr=full, timeout=60).returncode == 2
    assert subprocess.run(["sh", "-c", '"$0" show nope 2>&-', foretile], timeout=60).returncode == 2


def read_fifo(path, store):
    store.append(path.read_bytes())


def check_outputs(folder):
    problem, plan = folder / "p.toml", folder / "plan.json"
    machine = (*platform, "--set", "strategy=grid-3d")
    plan.write_text("old")
    plan.chmod(0o600)
    (folder / "link.json").symlink_to("plan.json")
    assert call("plan", problem, *machine, "-o", folder / "link.json").returncode == 0
    assert (folder / "link.json").is_symlink() and json.loads(plan.read_text())["foretile_plan"] == 2
    assert stat.S_IMODE(plan.stat().st_mode) == 0o600
    os.mkfifo(folder / "fifo.json")
    store = []
    reader = threading.Thread(target=read_fifo, args=(folder / "fifo.json", store))
    reader.start()
    assert call("plan", problem, *machine, "-o", folder / "fifo.json").returncode == 0
    reader.join()
    assert store == [plan.read_bytes()] and stat.S_ISFIFO((folder / "fifo.json").stat().st_mode)
    done = call("plan", problem, *machine, "-o", "/dev/stdout", "--json")
    assert done.returncode == 0 and plan.read_bytes() in done.stdout, done
    done = call("plan", problem, *machine, "-o", "/dev/full")
    assert done.returncode == 1 and b"/dev/full: could not be written whole: No space left" in done.stderr, done
    assert not list(folder.glob("*.tmp")), list(folder.iterdir())


def check_edited_plan(folder):
    plan = folder / "plan.json"
    content = json.loads(plan.read_text())
    content["parameters"]["lookahead"] = "2"
    (folder / "edited.json").write_text(json.dumps(content))
    programs = [("plan", foretile)] + ([("", foretile_run)] if foretile_run != "none" else [])
    for command, program in programs:
        expect("digest", *filter(None, [command]), folder / "edited.json", program=program)
    (folder / "twice.json").write_text(plan.read_text().replace("{", '{"digest": "", ', 1))
    expect("digest: found this key twice", "plan", folder / "twice.json")


def check_platforms(folder):
    (folder / "foretile").mkdir()
    summit = [p for p in json.loads(call("platform", "list", "--json").stdout) if p["name"] == "summit"][0]
    assert "Summit" in summit["description"] and pathlib.Path(summit["file"]).exists() and not summit["shadows"]
    own = folder / "foretile" / "summit.toml"
    own.write_bytes(pathlib.Path(summit["file"]).read_bytes())
    os.environ["XDG_CONFIG_HOME"] = str(folder)
    listed = call("platform", "list").stdout.decode()
    assert f"      {own}\n      hides {summit['file']}\n" in listed, listed
    done = call("platform", "show", "summit")
    assert done.returncode == 0 and b"note: platform summit is your own" in done.stderr, done


with tempfile.TemporaryDirectory() as name:
    scratch = pathlib.Path(name)
    check_values(scratch)
    check_inputs(scratch)
    check_stderr()
    check_outputs(scratch)
    check_edited_plan(scratch)
    check_platforms(scratch)
    if foretile_run != "none":
        expect("an example runs with: mpiexec -n 2 foretile-run c12 --verify", scratch / "nothing.toml", program=foretile_run)
print("messages are short lines, outputs harm nothing")
