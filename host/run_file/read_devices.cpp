#include "host/run_file/read_devices.hpp"

#include "host/run_file/checks.hpp"
#include "host/run_file/nearest.hpp"

#include <algorithm>

namespace tessera::run_file {
namespace {

bool names_device(const std::string& text) {
    const std::string cuda = "cuda:";
    if (text == "cpu") return true;
    return text.size() > cuda.size() && text.size() <= cuda.size() + 4 && text.compare(0, cuda.size(), cuda) == 0 &&
           std::all_of(text.begin() + 5, text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

Located<std::string> read_device(const Node& node, const std::string& expected, Auto automatic) {
    const bool may_be_auto = automatic == Auto::allowed;
    const auto text = read_text(node, expected);
    if (!names_device(text) && !(may_be_auto && text == "auto"))
        fail_expected(node, expected, did_you_mean(text, {"cpu", "cuda:0", may_be_auto ? "auto" : ""}));
    return {text, node.where};
}

} // namespace

std::vector<Located<std::string>> read_devices(const Node& node, Auto automatic) {
    const std::string one = "\"cpu\", or \"cuda:0\" for the first GPU";
    const std::string any =
        automatic == Auto::allowed ? "\"auto\", \"cpu\", \"cuda:0\" or an array of devices" : "\"cpu\", \"cuda:0\" or an array of devices";
    if (!node.is(Node::Kind::array)) return {read_device(node, any, automatic)};
    if (node.items.empty()) fail_expected(node, "at least one device");
    std::vector<Located<std::string>> devices;
    for (const auto& item : node.items) devices.push_back(read_device(item, one, Auto::refused));
    return devices;
}

} // namespace tessera::run_file
