# SPDX-License-Identifier: BSD-3-Clause
# SimGrid (https://simgrid.org): target SimGrid::SimGrid, version from simgrid/version.h.
find_path(SimGrid_INCLUDE_DIR NAMES simgrid/s4u.hpp)
find_library(SimGrid_LIBRARY NAMES simgrid)
if(SimGrid_INCLUDE_DIR)
  file(STRINGS ${SimGrid_INCLUDE_DIR}/simgrid/version.h lines REGEX "SIMGRID_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+")
  string(REGEX REPLACE "[^0-9;]" "" SimGrid_VERSION "${lines}")
  string(REPLACE ";" "." SimGrid_VERSION "${SimGrid_VERSION}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SimGrid REQUIRED_VARS SimGrid_LIBRARY SimGrid_INCLUDE_DIR
  VERSION_VAR SimGrid_VERSION)
if(SimGrid_FOUND AND NOT TARGET SimGrid::SimGrid)
  add_library(SimGrid::SimGrid UNKNOWN IMPORTED)
  set_target_properties(SimGrid::SimGrid PROPERTIES IMPORTED_LOCATION ${SimGrid_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SimGrid_INCLUDE_DIR})
endif()
mark_as_advanced(SimGrid_INCLUDE_DIR SimGrid_LIBRARY)
