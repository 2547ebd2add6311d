# Writes OUTPUT, a C++ source that holds the bytes of HEADERS ("name=path", separated by "|"). Numbers, for a string literal may be too
# long.
string(REPLACE "|" ";" headers "${HEADERS}")
set(arrays "")
set(rows "")
set(index 0)
foreach(header IN LISTS headers)
  string(REGEX MATCH "^([^=]+)=(.*)$" matched "${header}")
  set(name ${CMAKE_MATCH_1})
  file(READ "${CMAKE_MATCH_2}" hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
  string(APPEND arrays "const unsigned char text_${index}[] = {\n${hex}0};\n") # the closing zero keeps an empty file's array legal
  string(APPEND rows "        header(\"${name}\", text_${index}, sizeof text_${index} - 1),\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Generated from the SDK's headers.
#include \"jit/sdk_headers.hpp\"

#include <cstddef>

namespace tessera::jit {
namespace {

${arrays}
Header header(const char* name, const unsigned char* text, std::size_t size) {
    return {name, std::string(reinterpret_cast<const char*>(text), size)};
}

} // namespace

const std::vector<Header>& sdk_headers() {
    static const std::vector<Header> headers = {
${rows}    };
    return headers;
}

} // namespace tessera::jit
")
