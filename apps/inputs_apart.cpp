#include "apps/inputs_apart.hpp"

#include "base/atomic_file.hpp"
#include "base/matrix_files/matrix_place.hpp"
#include "planner/problem/kinds/matrices.hpp"

namespace foretile {

void require_inputs_apart(std::string_view option, const std::filesystem::path& path,
                          const Problem& problem) {
  const auto inputs = path.empty() ? std::nullopt : matrices_of(problem);
  if (!inputs) return;
  require_different(option, path, "A", parse_matrix_place(inputs->a.place).file);
  require_different(option, path, "B", parse_matrix_place(inputs->b.place).file);
  if (inputs->c) require_different(option, path, "C", parse_matrix_place(inputs->c->place).file);
}

}  // namespace foretile
