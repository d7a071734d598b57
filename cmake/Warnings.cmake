# Warnings for all our targets; errors where FORETILE_WARNINGS_AS_ERRORS is on (CI). nvcc's own code for the host is
# not pedantic. To GCC a source that is compiled with others is a header, which should not use unnamed namespaces.
add_library(foretile_warnings INTERFACE)
target_compile_options(foretile_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wconversion
  -Wno-sign-conversion $<$<BOOL:${FORETILE_UNITY}>:-Wno-subobject-linkage>>
  $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra,-Wshadow>)
if(FORETILE_WARNINGS_AS_ERRORS)
  target_compile_options(foretile_warnings INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Werror>
    $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings -Xcompiler=-Werror>)
endif()
