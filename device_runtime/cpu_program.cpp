#include "device_runtime/cpu_program.hpp"

#include "device_runtime/error.hpp"

#include <fmt/format.h>

namespace tessera {

const Kernel& CpuProgram::kernel(const std::string& name) {
    auto found = kernels_.find(name);
    if (found == kernels_.end()) {
        found = kernels_.try_emplace(name, name, reinterpret_cast<CpuFunction>(address_of(name, "function"))).first;
    }
    return found->second;
}

Global CpuProgram::global(const std::string& name) {
    void* address = address_of(name, "variable");
    return {address, SharedLibrary::size_of_object(address)};
}

void* CpuProgram::address_of(const std::string& name, const char* what) const {
    if (void* address = library_.find(name)) return address;
    throw Error(Failure::plugin, fmt::format("the compiled model {} has no {} \"{}\"", file_.string(), what, name),
                "it was made by another version of Tessera, or is not a model", "Compile it again.");
}

} // namespace tessera
