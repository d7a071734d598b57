# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/gpu-check is made of. Python's standard library alone: the machine with the GPU has no network."""
