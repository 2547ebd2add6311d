# What every target of the project is compiled with.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, Debug or RelWithDebInfo" FORCE)
endif()

option(TESSERA_WERROR "Treat warnings as errors (meant for the compilers that the project names: g++ 12 and clang 14)" OFF)

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_compile_options(-Wno-restrict) # it takes "a" + std::string for a copy that overlaps: GCC's bug 105651
endif()
if(TESSERA_WERROR AND NOT (TESSERA_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL GNU))
  add_compile_options(-Werror)
endif()

# g++ makes vectors of loops that ask for them alone (TESSERA_AT_ONCE), for it gets some of the others wrong
# (docs/decisions/vectors-by-gcc.md). TESSERA_ALL_VECTORS undoes that.
set(TESSERA_ALL_VECTORS)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options(-fno-tree-vectorize -ftree-slp-vectorize -fopenmp-simd)
  set(TESSERA_ALL_VECTORS -ftree-vectorize)
endif()

if(TESSERA_SANITIZE)
  # A finding ends the program, so that a test fails by it.
  add_compile_options(-fsanitize=${TESSERA_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Between the checks that sanitizers add, g++ no longer sees what is initialised, in its own <regex> for one, and how long a text is. So
  # its warnings are no errors here: the other builds see to them.
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_link_options(-fsanitize=${TESSERA_SANITIZE})
endif()

# ccache hashes the files that were included and not what the preprocessor made of them, which costs a tenth of a first build, and takes
# precompiled headers only where it need not see a time or what is defined in them.
find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER
      env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_ctime,include_file_mtime ${CCACHE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp") # the same header, the same precompiled header
endif()

# The sources of a folder are compiled together, AT_A_TIME of them: most of a compiler's time goes into the headers that they share. So what
# stands in unnamed namespaces has a name of its own in its folder. The files that include them name them as seen from the project's root, so
# that ccache knows them in any checkout (what CMake's own UNITY_BUILD writes names the checkout). What follows ALONE is compiled by itself:
# sources with options of their own. For who works on them each is (`-D TESSERA_TOGETHER=OFF`), which tells editors and clang-tidy how.
option(TESSERA_TOGETHER "Compile the sources of a folder together" ON)
function(tessera_compile_together target)
  cmake_parse_arguments(PARSE_ARGV 1 its "" AT_A_TIME ALONE)
  if(NOT TESSERA_TOGETHER)
    return()
  endif()
  set(at_a_time 20)
  if(its_AT_A_TIME)
    set(at_a_time ${its_AT_A_TIME})
  endif()
  get_target_property(sources ${target} SOURCES)
  list(REMOVE_ITEM sources ${its_ALONE})
  foreach(source IN LISTS sources)
    get_filename_component(path ${source} ABSOLUTE)
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR} ${path})
    get_filename_component(folder ${path} DIRECTORY)
    string(MAKE_C_IDENTIFIER ${folder} group)
    math(EXPR number "${count_${group}} + 0")
    math(EXPR count_${group} "${number} + 1")
    math(EXPR part "${number} / ${at_a_time}")
    list(APPEND parts ${group}_${part})
    string(APPEND includes_${group}_${part} "#include \"${path}\"\n")
  endforeach()
  list(REMOVE_DUPLICATES parts)
  foreach(part IN LISTS parts)
    set(together ${CMAKE_CURRENT_BINARY_DIR}/together/${target}/${part}.cpp)
    file(CONFIGURE OUTPUT ${together} CONTENT "${includes_${part}}" @ONLY)
    target_sources(${target} PRIVATE ${together})
  endforeach()
  set_source_files_properties(${sources} PROPERTIES HEADER_FILE_ONLY ON)
endfunction()
