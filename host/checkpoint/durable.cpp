#include "host/checkpoint/durable.hpp"

#include "device_runtime/error.hpp"
#include "host/outputs/folder_walk.hpp"
#include "host/outputs/output_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <set>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace tessera::checkpoint {
namespace {

std::string joined(const std::string& in, const std::string& name) { return in.empty() ? name : in + "/" + name; }

void synchronise_folder(int folder, const fs::path& shown) {
    if (const int error = synchronise(folder)) throw output_error(shown, error);
}

void synchronise_path(const fs::path& folder) {
    const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened.number() >= 0) synchronise_folder(opened.number(), folder);
}

} // namespace

NewFolder::NewFolder(const ResultFolder& results, std::string in) : results_(results), in_(std::move(in)) {
    const auto folder = results_.place(joined(in_, "file"));
    temporary_ = unused_temporary_name(folder.folder());
    if (::mkdirat(folder.folder(), temporary_.c_str(), 0777) != 0) throw output_error(results_.path() / in_ / temporary_, errno);
    way_ = joined(in_, temporary_);
}

NewFolder::~NewFolder() {
    if (!is_there_) return;
    try {
        remove_tree(results_.place(joined(in_, "file")).folder(), temporary_);
    } catch (const std::exception&) {} // it has a temporary name: whoever uses the folder next removes it
}

void NewFolder::commit(const std::string& name) {
    const auto shown = results_.path() / in_ / name;
    std::set<fs::path> below{""};
    for (const auto& file : files_below(open_folder_below(results_.handle(), way_, results_.path(), Missing::passed_over), shown))
        for (auto folder = fs::path(file).parent_path(); !folder.empty(); folder = folder.parent_path()) below.insert(folder);
    for (const auto& folder : below) synchronise_folder(results_.place((fs::path(way_) / folder / "file").string()).folder(), shown);
    const auto place = results_.place(joined(in_, "file"));
    const int folder = place.folder();
    struct stat found {};
    if (::fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0) { // which a rename does not replace
        const auto aside = unused_temporary_name(folder);
        if (::renameat(folder, name.c_str(), folder, aside.c_str()) != 0) throw output_error(shown, errno);
        if (::renameat(folder, temporary_.c_str(), folder, name.c_str()) != 0) {
            const int error = errno;
            (void)::renameat(folder, aside.c_str(), folder, name.c_str());
            throw output_error(shown, error);
        }
        is_there_ = false;
        synchronise_folder(folder, shown);
        remove_tree(folder, aside);
    } else if (::renameat(folder, temporary_.c_str(), folder, name.c_str()) != 0)
        throw output_error(shown, errno);
    is_there_ = false;
    synchronise_folder(folder, shown);
    synchronise_folder(results_.handle()->number(), results_.path());
    synchronise_path(fs::absolute(results_.path()).lexically_normal().parent_path());
}

FilePlace existing_place(const ResultFolder& results, const std::string& in, const std::string& name) {
    const auto shown = results.path() / in / name;
    auto folder = open_folder_below(results.handle(), in, results.path(), Missing::passed_over);
    if (folder == nullptr) throw Error(Failure::input, fmt::format("{} cannot be read", shown.string()), "its folder is not there");
    return {std::move(folder), name, shown};
}

} // namespace tessera::checkpoint
