# Arrays in host memory, the file formats that they are read from and written to, and pictures.
find_package(fmt REQUIRED)
find_package(PNG REQUIRED)
find_package(ZLIB REQUIRED)

add_library(tessera_arrays STATIC
  array.cpp
  inputs/csv.cpp
  inputs/csv_fields.cpp
  inputs/csv_records.cpp
  inputs/esri_grid.cpp
  inputs/input_file.cpp
  inputs/npy.cpp
  inputs/parse_value.cpp
  inputs/png.cpp
  inputs/read_array.cpp
  inputs/rle.cpp
  outputs/colour_map.cpp
  outputs/csv_table.cpp
  outputs/file_place.cpp
  outputs/npy.cpp
  outputs/output_file.cpp
  outputs/picture.cpp
  outputs/png_writer.cpp)
tessera_compile_together(tessera_arrays)
target_include_directories(tessera_arrays PUBLIC ${CMAKE_SOURCE_DIR})
target_link_libraries(tessera_arrays PUBLIC tessera_device_runtime PRIVATE fmt::fmt PNG::PNG ZLIB::ZLIB)
