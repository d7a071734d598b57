# SPDX-License-Identifier: BSD-3-Clause
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

# CUDA is no package of Debian: the compiler is asked for, on the PATH or where NVIDIA's installer puts it. Sets
# FORETILE_HAS_CUDA and enables the language, which only executor/cuda needs.
macro(foretile_cuda_part)
  set(FORETILE_HAS_CUDA OFF)
  # Ampere (sm_80) and Hopper (sm_90). CUDA 12 and older also compile for Volta: -DCMAKE_CUDA_ARCHITECTURES=70
  set(CMAKE_CUDA_ARCHITECTURES "80;90" CACHE STRING "GPU architectures to compile for")
  set(foretile_off "foretile: GPU executor off (foretile-run computes on CPU cores)")
  if(NOT FORETILE_WITH_CUDA)
    message(STATUS "${foretile_off}: FORETILE_WITH_CUDA is OFF")
  else()
    foretile_find_nvcc()
    if(CMAKE_CUDA_COMPILER)
      find_package(CUDAToolkit QUIET)
    endif()
    if(NOT CMAKE_CUDA_COMPILER)
      message(STATUS "${foretile_off}: no nvcc that works; install NVIDIA's CUDA toolkit, 11.8 or newer")
    elseif(NOT CUDAToolkit_FOUND OR CUDAToolkit_VERSION VERSION_LESS 11.8 OR NOT TARGET CUDA::cublas)
      message(STATUS "${foretile_off}: no cuBLAS of CUDA 11.8 or newer beside ${CMAKE_CUDA_COMPILER}")
    else()
      enable_language(CUDA)
      set(FORETILE_HAS_CUDA ON)
      string(REPLACE ";" " " foretile_names "${CMAKE_CUDA_ARCHITECTURES}")
      message(STATUS "foretile: GPU executor on (CUDA ${CUDAToolkit_VERSION} for ${foretile_names})")
    endif()
  endif()
endmacro()

# Sets CMAKE_CUDA_COMPILER in the cache: a compiler that works, or NOTFOUND.
function(foretile_find_nvcc)
  find_program(FORETILE_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda PATH_SUFFIXES bin)
  mark_as_advanced(FORETILE_NVCC)
  if(FORETILE_NVCC AND NOT DEFINED ENV{CUDACXX})
    set(ENV{CUDACXX} ${FORETILE_NVCC})  # check_language() asks it
  endif()
  include(CheckLanguage)
  set(CMAKE_MESSAGE_LOG_LEVEL NOTICE)
  check_language(CUDA)
endfunction()
