// SPDX-License-Identifier: BSD-3-Clause
// SimGrid allows one engine per process: each simulation of a test runs in a child of its own.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <vector>

namespace foretile {

/// What `work` returns in a child process. Throws std::runtime_error when the child threw or died.
inline std::vector<double> run_isolated(const std::function<std::vector<double>()>& work) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no child process");
  if (child == 0) {
    close(ends[0]);
    int code = 1;
    try {
      const std::vector<double> numbers = work();
      const auto bytes = static_cast<ssize_t>(numbers.size() * sizeof(double));
      code = write(ends[1], numbers.data(), static_cast<std::size_t>(bytes)) == bytes ? 0 : 1;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    _exit(code);
  }
  close(ends[1]);
  std::vector<double> numbers;
  double number = 0;
  while (read(ends[0], &number, sizeof number) == static_cast<ssize_t>(sizeof number))
    numbers.push_back(number);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("the child process failed");
  return numbers;
}

}  // namespace foretile
