# find_package(tessera_sdk) gives
#
#   tessera::sdk               the include folder and the language level that a model is compiled with, for one's own tools and tests
#   tessera_add_model(NAME SOURCE [HOOKS SOURCES...])
#                              NAME.so in the build folder: the model in one file, for a plugin folder or to be given away; with functions
#                              in C++ that runs call between steps (tessera/hooks.hpp), for which the project needs the language CXX
#   TESSERA_PROGRAM            `tessera`
#
# Works from an installed tree (lib/cmake/tessera_sdk). From a copy of the folder `sdk` alone (sdk/cmake) there is no `tessera` beside it: name
# it in -DTESSERA_PROGRAM=..., where tessera_add_model is wanted.
if(TARGET tessera::sdk)
  return()
endif()

find_path(TESSERA_SDK_INCLUDE_DIR tessera/model.hpp
  PATHS ${CMAKE_CURRENT_LIST_DIR}/../include ${CMAKE_CURRENT_LIST_DIR}/../../../include
  NO_DEFAULT_PATH)
find_program(TESSERA_PROGRAM tessera HINTS ${CMAKE_CURRENT_LIST_DIR}/../../../bin)
mark_as_advanced(TESSERA_SDK_INCLUDE_DIR TESSERA_PROGRAM)
if(NOT TESSERA_SDK_INCLUDE_DIR)
  set(tessera_sdk_FOUND FALSE)
  set(tessera_sdk_NOT_FOUND_MESSAGE
      "tessera/model.hpp is not where the SDK's CMake package looks for it (beside ${CMAKE_CURRENT_LIST_DIR})")
  return()
endif()

add_library(tessera::sdk INTERFACE IMPORTED)
set_target_properties(tessera::sdk PROPERTIES
  INTERFACE_INCLUDE_DIRECTORIES ${TESSERA_SDK_INCLUDE_DIR}
  INTERFACE_COMPILE_FEATURES cxx_std_20
  INTERFACE_COMPILE_OPTIONS "-ffp-contract=off;$<$<CXX_COMPILER_ID:GNU>:-fno-tree-vectorize;-ftree-slp-vectorize>") # g++ gets some loops wrong

# Links a library NAME of the model's object file and the hooks. Its C++ is its own, so that it needs nothing but the C library. A checksum
# of all that is linked is written into it.
function(tessera_link_hooks name object)
  add_library(${name} MODULE ${ARGN} ${object})
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  target_link_libraries(${name} PRIVATE tessera::sdk)
  target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>
    -ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}/= -ffile-prefix-map=${CMAKE_CURRENT_BINARY_DIR}/=)
  target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc
    LINKER:--exclude-libs,ALL LINKER:-Bsymbolic LINKER:--build-id=none LINKER:-z,defs LINKER:-soname,${name}.so)
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so" NO_SONAME ON SKIP_BUILD_RPATH ON CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY $<1:${CMAKE_CURRENT_BINARY_DIR}>)
  add_custom_command(TARGET ${name} POST_BUILD COMMAND ${TESSERA_PROGRAM} --log-level warning seal $<TARGET_FILE:${name}>
    COMMENT "Writing the checksum of ${name}.so" VERBATIM)
endfunction()

# The target NAME, which is made with all others. It is made again when the source or one of its own headers changes.
function(tessera_add_model name source)
  if(NOT TESSERA_PROGRAM)
    message(FATAL_ERROR "tessera_add_model(${name}): there is no `tessera` beside the SDK nor on the path; name it in -DTESSERA_PROGRAM=...")
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 model "" "" "HOOKS")
  if(model_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tessera_add_model(${name}): ${model_UNPARSED_ARGUMENTS} is not known; name sources of hooks behind HOOKS")
  endif()
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set(library ${CMAKE_CURRENT_BINARY_DIR}/${name}.so)
  set(built ${library})
  set(object "")
  if(model_HOOKS)
    set(built ${CMAKE_CURRENT_BINARY_DIR}/${name}.model.o)
    set(object --object)
  endif()
  add_custom_command(OUTPUT ${built}
    COMMAND ${TESSERA_PROGRAM} --log-level warning build ${source} ${object} --out ${built} --depfile ${built}.d
    DEPENDS ${source} DEPFILE ${built}.d
    COMMENT "Building the model ${name}" VERBATIM)
  if(model_HOOKS)
    tessera_link_hooks(${name} ${built} ${model_HOOKS})
  else()
    add_custom_target(${name} ALL DEPENDS ${library})
  endif()
  set_target_properties(${name} PROPERTIES TESSERA_LIBRARY ${library})
endfunction()
