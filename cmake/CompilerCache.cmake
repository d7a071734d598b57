# SPDX-License-Identifier: BSD-3-Clause
# Compiles through ccache where it is installed: a second build of the same sources takes seconds, in this folder and in
# another clone.
# -DFORETILE_WITH_CCACHE=OFF compiles without.
option(FORETILE_WITH_CCACHE "Compile through ccache where it is installed" ON)
if(NOT FORETILE_WITH_CCACHE OR DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  return()
endif()
find_program(CCACHE_EXECUTABLE ccache)
mark_as_advanced(CCACHE_EXECUTABLE)
if(CCACHE_EXECUTABLE)
  # Paths below the source folder count as relative ones, so that clones share what they compiled. What a source includes is
  # read from the compiler's list (-MD): otherwise each source is preprocessed once more.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 ${CCACHE_EXECUTABLE})
  message(STATUS "foretile: compiling through ${CCACHE_EXECUTABLE}")
endif()
