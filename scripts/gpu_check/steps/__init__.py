"""One file, one step: run(check) does it, writes to check.results, and may raise Skipped or Failed."""
