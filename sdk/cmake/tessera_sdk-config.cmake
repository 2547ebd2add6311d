# find_package(tessera_sdk) gives
#
#   tessera::sdk               the include folder and the language level that a model is compiled with, for one's own tools and tests
#   tessera_add_model(NAME SOURCE)
#                              NAME.so in the build folder: the model in one file, for a plugin folder or to be given away
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
  INTERFACE_COMPILE_OPTIONS -ffp-contract=off)

# The target NAME, which is made with all others. It is made again when the source or one of its own headers changes.
function(tessera_add_model name source)
  if(NOT TESSERA_PROGRAM)
    message(FATAL_ERROR "tessera_add_model(${name}): there is no `tessera` beside the SDK nor on the path; name it in -DTESSERA_PROGRAM=...")
  endif()
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set(library ${CMAKE_CURRENT_BINARY_DIR}/${name}.so)
  add_custom_command(OUTPUT ${library}
    COMMAND ${TESSERA_PROGRAM} --log-level warning build ${source} --out ${library} --depfile ${library}.d
    DEPENDS ${source} DEPFILE ${library}.d
    COMMENT "Building the model ${name}" VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${library})
  set_target_properties(${name} PROPERTIES TESSERA_LIBRARY ${library})
endfunction()
