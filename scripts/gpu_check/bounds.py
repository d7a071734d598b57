# SPDX-License-Identifier: BSD-3-Clause
"""What a run cannot beat, whatever it does: the larger of its flops over the rate of cuBLAS on a whole matrix and of the
bytes that must cross between host and device over the measured copy rates. Each input crosses at least once unless it
is made on the device, and C once."""
import dataclasses


@dataclasses.dataclass
class Rates:
    """Measured, per second; None where nothing measured it."""
    flops: float
    h2d: float
    d2h: float
    both: float | None
    source: str


@dataclasses.dataclass
class Bound:
    seconds: float
    limit: str  # "multiplying", "copies in", "copies out"

    def share(self, measured_s):
        return self.seconds / measured_s


def bound(rates, flops, bytes_in, bytes_out):
    times = {
        "multiplying": flops / rates.flops,
        "copies in": bytes_in / rates.h2d,
        "copies out": bytes_out / rates.d2h,
    }
    if rates.both:
        times["copies both ways"] = (bytes_in + bytes_out) / rates.both
    limit = max(times, key=times.get)
    return Bound(times[limit], limit)
