// What the engine reports as a defect of its own fails the test in which it happens: a run goes on, and no result shows it.
#pragma once

#include "jit/log.hpp"

#include <gtest/gtest.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <mutex>
#include <string>

namespace tessera::test {

class DefectsFail : public spdlog::sinks::base_sink<std::mutex> {
protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        const std::string text(message.payload.data(), message.payload.size());
        if (text.find("defect of Tessera") != std::string::npos) ADD_FAILURE() << text;
    }
    void flush_() override {}
};

// Of the log, once a program. A test that wants such a warning puts another logger in its place.
inline void let_defects_fail() { logger()->sinks().push_back(std::make_shared<DefectsFail>()); }

} // namespace tessera::test
