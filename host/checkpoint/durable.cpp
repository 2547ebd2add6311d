#include "host/checkpoint/durable.hpp"

#include "device_runtime/error.hpp"
#include "host/outputs/folder_walk.hpp"
#include "host/outputs/output_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
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
    const auto made = open_folder_below(results_.handle(), way_, results_.path(), Missing::passed_over);
    if (made == nullptr) throw output_error(shown, ENOENT);
    synchronise_names(made, shown, files_below(made, shown));
    const auto place = results_.place(joined(in_, "file"));
    const int folder = place.folder();
    struct stat found {};
    const bool is_replaced = ::fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
    if (is_replaced)
        put_in_place_of(folder, name, shown);
    else if (::renameat(folder, temporary_.c_str(), folder, name.c_str()) != 0)
        throw output_error(shown, errno);
    is_there_ = false;
    synchronise_folder(folder, shown);
    synchronise_folder(results_.handle()->number(), results_.path());
    synchronise_path(fs::absolute(results_.path()).lexically_normal().parent_path());
    if (is_replaced) remove_tree(folder, temporary_);
}

// A folder does not replace another one by a rename. The two exchange their names, so that there is one of them at any moment; where the
// system cannot do that, the other one is put aside first.
void NewFolder::put_in_place_of(int folder, const std::string& name, const fs::path& shown) const {
    if (::renameat2(folder, temporary_.c_str(), folder, name.c_str(), RENAME_EXCHANGE) == 0) return;
    if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) throw output_error(shown, errno);
    const auto aside = unused_temporary_name(folder);
    if (::renameat(folder, name.c_str(), folder, aside.c_str()) != 0) throw output_error(shown, errno);
    if (::renameat(folder, temporary_.c_str(), folder, name.c_str()) != 0) {
        const int error = errno;
        (void)::renameat(folder, aside.c_str(), folder, name.c_str());
        throw output_error(shown, error);
    }
    (void)::renameat(folder, aside.c_str(), folder, temporary_.c_str());
}

FilePlace existing_place(const ResultFolder& results, const std::string& in, const std::string& name) {
    const auto shown = results.path() / in / name;
    auto folder = open_folder_below(results.handle(), in, results.path(), Missing::passed_over);
    if (folder == nullptr) throw Error(Failure::input, fmt::format("{} cannot be read", shown.string()), "its folder is not there");
    return {std::move(folder), name, shown};
}

} // namespace tessera::checkpoint
