#include "device_runtime/error.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/standard_output.hpp"
#include "host/session/interrupt.hpp"
#include "jit/cache.hpp"
#include "jit/compiler.hpp"

namespace tessera {

void resume_command(const ResumeCommand& command) {
    if (command.check) {
        for (const auto& line : check_checkpoints(command.request.folder)) say(line);
        return;
    }
    const InterruptGuard until_it_is_known(Keeping::unknown);
    jit::Cache cache;
    jit::Compiler compiler(cache);
    if (const auto result = resume(command.request, compiler, command.options)) tell(*result);
}

} // namespace tessera
