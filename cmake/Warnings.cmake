# Warnings for all our targets; errors where FORETILE_WARNINGS_AS_ERRORS is on (CI).
add_library(foretile_warnings INTERFACE)
target_compile_options(foretile_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<BOOL:${FORETILE_WARNINGS_AS_ERRORS}>:-Werror>)
