// SPDX-License-Identifier: Apache-2.0
// What a model, or a library made of one, was written for. docs/sdk.md says what may change between versions.
#pragma once

#define TESSERA_SDK_MAJOR 0
#define TESSERA_SDK_MINOR 1
#define TESSERA_SDK_PATCH 0

// Counts the changes after which the same model and the same seed give other results. Finished code of another count is not run.
#define TESSERA_RESULT_EPOCH 4
