# Parts that are built when their library is there. Each says in one line whether it is on, and if not, why.

# foretile_part(NAME OPTION PACKAGE DEBIAN_PACKAGE [find_package arguments]) sets FORETILE_HAS_<PACKAGE>.
function(foretile_part name option package debian_package)
  set(FORETILE_HAS_${package} OFF PARENT_SCOPE)
  if(NOT ${option})
    message(STATUS "foretile: ${name} off (${option} is OFF)")
    return()
  endif()
  find_package(${package} QUIET ${ARGN} GLOBAL)
  if(NOT ${package}_FOUND)
    message(STATUS "foretile: ${name} off: ${package} not found; install ${debian_package}")
    return()
  endif()
  string(STRIP "${package} ${${package}_VERSION}${${package}_CXX_VERSION}" found)
  message(STATUS "foretile: ${name} on (${found})")
  set(FORETILE_HAS_${package} ON PARENT_SCOPE)
endfunction()
