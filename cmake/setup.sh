# shellcheck shell=bash
# Sourced by run.sh and test.sh: what both need before they can do their own work.

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034
cores=$(nproc)

say() { printf 'tessera: %s\n' "$*" >&2; }

fail() {
    say "$@"
    exit 1
}

# <command>:<package> for the tools: another copy of the same tool will do.
tools=(cmake:cmake ninja:ninja-build "${CXX:-g++}:g++")
libraries=(libboost-dev libboost-filesystem-dev libspdlog-dev libfmt-dev libtomlplusplus-dev libcli11-dev nlohmann-json3-dev libpng-dev
    libxxhash-dev libgtest-dev libgmock-dev librapidcheck-dev)

# Prints those of the Debian packages "$@" that are not installed.
not_installed() {
    comm -23 <(printf '%s\n' "$@" | sort) \
        <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p' | sort)
}

# Prints the packages of those tools "$@" (<command>:<package>) that are not there.
tools_not_there() {
    local tool
    for tool in "$@"; do
        command -v "${tool%:*}" >/dev/null || echo "${tool#*:}"
    done
}

# Prints, a word a line, what a command has to be started with to run as root; nothing for root itself, and where there is no way.
how_to_be_root() {
    [ "$(id -u)" -ne 0 ] && command -v sudo || return 0
    [ -t 0 ] || printf '%s\n' -n
}

# Installs what the build needs and the system does not have; "$@" are more tools, as <command>:<package>. Takes milliseconds where
# nothing is missing.
install_missing() {
    local missing=() as_root=() log started=$SECONDS
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        mapfile -t missing < <(tools_not_there "${tools[@]}" "$@")
        [ ${#missing[@]} -eq 0 ] || fail \
            "these tools are missing: ${missing[*]} (this system is not Debian or Ubuntu, so nothing is installed here)" \
            "Install them and the libraries that docs/building.md lists."
        return 0
    fi
    mapfile -t missing < <({ tools_not_there "${tools[@]}" "$@" && not_installed "${libraries[@]}"; } | sort -u)
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v ccache >/dev/null || missing+=(ccache)

    mapfile -t as_root < <(how_to_be_root)
    if [ "$(id -u)" -eq 0 ] || [ ${#as_root[@]} -gt 0 ]; then
        say "installing what is missing, about a minute: ${missing[*]}"
    fi
    [ "$(id -u)" -eq 0 ] || "${as_root[@]:-false}" -v 2>/dev/null ||
        fail "packages are missing: ${missing[*]} (only root can install them, and this user is not root and cannot use sudo)" \
            "Have them installed with: apt-get install --no-install-recommends ${missing[*]}"

    log=$(mktemp)
    if ! { "${as_root[@]}" apt-get update &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } \
        >"$log" 2>&1 </dev/null; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        fail "the packages could not be installed (apt-get says why above)" \
            "Install them by hand: apt-get install --no-install-recommends ${missing[*]}"
    fi
    rm -f "$log"
    say "installed in $((SECONDS - started)) s"
}

# Installs the package "$1" where this system has it; else "$2" says what is missed.
install_where_known() {
    local as_root=()
    command -v dpkg-query >/dev/null && [ -z "$(not_installed "$1")" ] && return 0
    mapfile -t as_root < <(how_to_be_root)
    if command -v apt-get >/dev/null && { "${as_root[@]}" apt-get update &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$1"; } >/dev/null 2>&1 </dev/null; then
        say "installed $1"
    else
        say "$1 is not to be had here: $2"
    fi
}

# Holds the build folder "$1" for this process, so that two calls at a time do not build over each other; `unlock_build` lets go.
lock_build() {
    mkdir -p "$root/build/$1"
    exec 9>"$root/build/$1/.lock"
    flock 9
}
unlock_build() { exec 9>&-; }

# Configures the preset "$1" if it never was, or if the presets have changed since. TESSERA_WERROR=ON in the environment makes warnings
# errors.
configure() {
    local folder=$root/build/$1 log
    if [ -f "$folder/build.ninja" ] && [ ! "$root/CMakePresets.json" -nt "$folder/build.ninja" ] &&
        grep -q "^TESSERA_WERROR:BOOL=${TESSERA_WERROR:-}" "$folder/CMakeCache.txt"; then return 0; fi
    log=$folder/configure.log
    if ! (cd "$root" && cmake --preset "$1" ${TESSERA_WERROR:+-DTESSERA_WERROR="$TESSERA_WERROR"}) >"$log" 2>&1; then
        tail -n 30 "$log" >&2
        say "configuring the build failed (cmake says why above)" "docs/building.md lists what is needed; the whole log is in $log"
        return 1
    fi
}
