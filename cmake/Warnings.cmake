# SPDX-License-Identifier: BSD-3-Clause
# Warnings for all our targets; errors where FORETILE_WARNINGS_AS_ERRORS is on (CI). nvcc's own code for the host is
# not pedantic.
# Of sources that are compiled as one, GCC takes all but the outer one for headers, which should not use unnamed
# namespaces, and names in those of one source are no shadows in the next.
if(NOT FORETILE_UNITY)
  set(foretile_shadows -Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(foretile_shadows -Wshadow=local -Wno-subobject-linkage)
endif()
add_library(foretile_warnings INTERFACE)
target_compile_options(foretile_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic ${foretile_shadows} -Wnon-virtual-dtor -Woverloaded-virtual -Wconversion
  -Wno-sign-conversion>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow>)
if(FORETILE_WARNINGS_AS_ERRORS)
  target_compile_options(foretile_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror>
    $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings -Xcompiler=-Werror>)
endif()
