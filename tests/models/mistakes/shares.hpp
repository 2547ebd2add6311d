#pragma once
template<class T> TESSERA_FN T expected(T parts) {
    TESSERA_ASSERT(parts >= 0, "there is a share"); // share
    return parts;
}
