# SPDX-License-Identifier: BSD-3-Clause
"""Platform files: one with guesses, for plans before anything was measured, and one without generation on devices."""
import os
import re

from . import memory

# Round figures of the order of an H100's, so that parameters can be chosen at all; never used for a prediction.
GUESSES = """name = "guessed"
nodes = 1
sockets_per_node = 1
ranks_per_node = 1
[socket]
cores = {cores}
devices = 1
memory = {host}
memory_bandwidth = 200e9
device_bandwidth = 40e9
[device]
kind = "gpu"
memory = {device}
[device.kernel]
rate = 50e12
half_m = 100
half_n = 100
half_k = 50
latency = 5e-6
streams = 4
[device.batched]
rate = 50e12
half_m = 50
half_n = 50
half_k = 50
latency = 10e-6
[device.single]
rate = 50e12
half_m = 100
half_n = 100
half_k = 50
latency = 5e-6
[pcie]
latency = 10e-6
bandwidth = 40e9
[peer]
latency = 10e-6
bandwidth = 100e9
[message]
latency = 1e-6
bandwidth = 5e9
[generation]
rate = 5e9
device_rate = 500e9
"""


def guesses(device_bytes):
    host = int(os.environ.get("FORETILE_MEMORY", memory.meminfo()["MemTotal"])) // 5 * 4
    return GUESSES.format(cores=max(os.cpu_count() or 1, 1), host=host, device=int(device_bytes))


def made_on_host(platform_text):
    """Without generation on devices: B is then made by cores and copied."""
    return re.sub(r"(?m)^device_rate\s*=.*\n", "", platform_text)
